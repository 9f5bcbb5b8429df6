import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** A function as the synthesized template describes it. */
export interface DeployedFunction {
  readonly name: string;
  /** The asset that becomes /var/task, and the one that becomes /opt. */
  readonly task: string;
  readonly layer: string | undefined;
  readonly handler: string;
  /** In megabytes. */
  readonly memory: number;
  /** In milliseconds. */
  readonly timeout: number;
  /** References to other resources are those resources' logical names. */
  readonly variables: Readonly<Record<string, string>>;
}

/** A route of the gateway with the function behind it. */
export interface DeployedRoute {
  readonly key: string;
  readonly target: string;
  readonly signed: boolean;
  /** The headers that the gateway writes into a request, or takes out of it. */
  readonly headers: ReadonlyMap<string, string | undefined>;
}

/** All stacks together. */
export interface Assembly {
  /** By their path in the tree of constructs: `Health`, `Orders` and so on. */
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  readonly routes: readonly DeployedRoute[];
}

const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.looseObject({ 'aws:cdk:path': z.string(), 'aws:asset:path': z.string().optional() }),
});
type Resource = z.output<typeof resource>;

/** An export of another stack; the rig puts its own in that place. */
const imported = z.object({ 'Fn::ImportValue': z.string() }).transform(({ 'Fn::ImportValue': name }) => name);
const reference = z.object({ Ref: z.string() }).transform(({ Ref }) => Ref);
const functionProperties = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  MemorySize: z.number(),
  Timeout: z.number(),
  Layers: z.array(reference).max(1).default([]),
  Environment: z.object({ Variables: z.record(z.string(), z.union([z.string(), imported])) }),
});
const joined = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), reference])]) });
const routeProperties = z.object({ RouteKey: z.string(), AuthorizationType: z.string(), Target: joined });
const attribute = (name: string) => z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal(name)]) });
const aliasProperties = z.object({ FunctionVersion: attribute('Version') });
const versionProperties = z.object({ FunctionName: reference });
/** The ARN of an alias in another stack, of which nothing but the account is left to CloudFormation. */
const foreignAlias = z
  .object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) })
  .transform(
    ({ 'Fn::Join': [, parts] }) => /^:function:(?<name>[\w-]+):live$/.exec(`${parts.at(-1)}`)?.groups?.['name'],
  );
const integrationProperties = z.object({
  IntegrationUri: z.union([reference.transform((alias) => ({ alias })), foreignAlias.transform((name) => ({ name }))]),
  RequestParameters: z
    .record(z.templateLiteral([z.enum(['overwrite', 'remove']), ':header.', z.string()]), z.string())
    .default({}),
});

function nameOf({ Metadata }: Resource): string {
  return `${Metadata['aws:cdk:path'].split('/')[1]}`;
}

function headersOf(parameters: Readonly<Record<string, string>>): ReadonlyMap<string, string | undefined> {
  const rows = Object.entries(parameters).map(([key, value]) => {
    const [action, header = ''] = key.split(':header.');
    return [header, action === 'overwrite' ? value : undefined] as const;
  });
  return new Map(rows);
}

interface Template {
  readonly ofType: (type: string) => readonly Resource[];
  readonly find: (id: string) => Resource;
}

async function readTemplate(path: string): Promise<Template> {
  const parsed = z
    .object({ Resources: z.record(z.string(), z.unknown()) })
    .parse(JSON.parse(await readFile(path, 'utf8')));
  const resources = new Map(Object.entries(parsed.Resources).map(([id, value]) => [id, resource.parse(value)]));
  return {
    ofType: (type) => [...resources.values()].filter(({ Type }) => Type === type),
    find: (id) => {
      const found = resources.get(id);
      if (!found) throw new Error(`${path} has no ${id}`);
      return found;
    },
  };
}

/** The functions of a stack, by their names at Lambda. */
function functionsOf({ ofType, find }: Template, folder: string): [string, DeployedFunction][] {
  const asset = (found: Resource) => join(folder, `${found.Metadata['aws:asset:path']}`);
  return ofType('AWS::Lambda::Function').map((found) => {
    const properties = functionProperties.parse(found.Properties);
    const [layer] = properties.Layers;
    const target = {
      name: nameOf(found),
      task: asset(found),
      layer: layer === undefined ? undefined : asset(find(layer)),
      handler: properties.Handler,
      memory: properties.MemorySize,
      timeout: properties.Timeout * 1000,
      variables: properties.Environment.Variables,
    };
    return [properties.FunctionName, target];
  });
}

/** The routes of a stack. Each leads to the version of an alias; that of another stack is known by its name. */
function routesOf({ ofType, find }: Template, byName: ReadonlyMap<string, DeployedFunction>): DeployedRoute[] {
  const nameBehind = (alias: string) => {
    const [version] = aliasProperties.parse(find(alias).Properties).FunctionVersion['Fn::GetAtt'];
    return nameOf(find(versionProperties.parse(find(version).Properties).FunctionName));
  };
  return ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => {
    const { RouteKey, AuthorizationType, Target } = routeProperties.parse(Properties);
    const { IntegrationUri, RequestParameters } = integrationProperties.parse(
      find(Target['Fn::Join'][1][1]).Properties,
    );
    const target =
      'alias' in IntegrationUri ? nameBehind(IntegrationUri.alias) : byName.get(`${IntegrationUri.name}`)?.name;
    if (target === undefined) throw new Error(`no stack has the function behind ${RouteKey}`);
    return { key: RouteKey, target, signed: AuthorizationType === 'AWS_IAM', headers: headersOf(RequestParameters) };
  });
}

/** Reads what `cdk synth` wrote. */
export async function readAssembly(folder: string): Promise<Assembly> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.template.json'));
  const templates = await Promise.all(files.map((name) => readTemplate(join(folder, name))));
  const byName = new Map(templates.flatMap((template) => functionsOf(template, folder)));
  return {
    functions: new Map([...byName.values()].map((target) => [target.name, target])),
    routes: templates.flatMap((template) => routesOf(template, byName)),
  };
}

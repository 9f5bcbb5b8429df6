import { readFile } from 'node:fs/promises';
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
}

/** What a deployment consists of. */
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

const reference = z.object({ Ref: z.string() }).transform(({ Ref }) => Ref);
const functionProperties = z.object({
  FunctionName: z.string(),
  Handler: z.string(),
  MemorySize: z.number(),
  Timeout: z.number(),
  Layers: z.array(reference).max(1).default([]),
  Environment: z.object({ Variables: z.record(z.string(), z.string()) }).default({ Variables: {} }),
});
const joined = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), reference])]) });
const routeProperties = z.object({ RouteKey: z.string(), AuthorizationType: z.string(), Target: joined });
const attribute = (name: string) => z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal(name)]) });
const aliasProperties = z.object({ FunctionVersion: attribute('Version') });
const versionProperties = z.object({ FunctionName: reference });
const integrationProperties = z.object({ IntegrationUri: reference });

function nameOf({ Metadata }: Resource): string {
  return `${Metadata['aws:cdk:path'].split('/')[1]}`;
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

function functionsOf({ ofType, find }: Template, folder: string): DeployedFunction[] {
  const asset = (found: Resource) => join(folder, `${found.Metadata['aws:asset:path']}`);
  return ofType('AWS::Lambda::Function').map((found) => {
    const properties = functionProperties.parse(found.Properties);
    const [layer] = properties.Layers;
    return {
      name: nameOf(found),
      task: asset(found),
      layer: layer === undefined ? undefined : asset(find(layer)),
      handler: properties.Handler,
      memory: properties.MemorySize,
      timeout: properties.Timeout * 1000,
      variables: properties.Environment.Variables,
    };
  });
}

/** The routes. Each leads to the version of an alias. */
function routesOf({ ofType, find }: Template): DeployedRoute[] {
  const nameBehind = (alias: string) => {
    const [version] = aliasProperties.parse(find(alias).Properties).FunctionVersion['Fn::GetAtt'];
    return nameOf(find(versionProperties.parse(find(version).Properties).FunctionName));
  };
  return ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => {
    const { RouteKey, AuthorizationType, Target } = routeProperties.parse(Properties);
    const { IntegrationUri } = integrationProperties.parse(find(Target['Fn::Join'][1][1]).Properties);
    return { key: RouteKey, target: nameBehind(IntegrationUri), signed: AuthorizationType === 'AWS_IAM' };
  });
}

/** Reads what `cdk synth` wrote. */
export async function readAssembly(folder: string): Promise<Assembly> {
  const template = await readTemplate(join(folder, 'Service.template.json'));
  const functions = functionsOf(template, folder);
  return { functions: new Map(functions.map((target) => [target.name, target])), routes: routesOf(template) };
}

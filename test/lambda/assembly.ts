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
  /** Megabytes. */
  readonly memory: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** References to other resources are those resources' logical names. */
  readonly variables: Readonly<Record<string, string>>;
}

export interface Assembly {
  /** By their path in the tree of constructs: `Health`, `Orders` and so on. */
  readonly functions: ReadonlyMap<string, DeployedFunction>;
  /** Route keys of the gateway with the function behind each. */
  readonly routes: readonly { readonly key: string; readonly target: string; readonly signed: boolean }[];
}

const resource = z.object({
  Type: z.string(),
  Properties: z.record(z.string(), z.unknown()).default({}),
  Metadata: z.looseObject({ 'aws:cdk:path': z.string(), 'aws:asset:path': z.string().optional() }),
});
type Resource = z.output<typeof resource>;

const reference = z.object({ Ref: z.string() }).transform(({ Ref }) => Ref);
const functionProperties = z.object({
  Handler: z.string(),
  MemorySize: z.number(),
  Timeout: z.number(),
  Layers: z.array(reference).max(1).default([]),
  Environment: z.object({ Variables: z.record(z.string(), z.union([z.string(), reference])) }),
});
const joined = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.tuple([z.literal('integrations/'), reference])]) });
const routeProperties = z.object({ RouteKey: z.string(), AuthorizationType: z.string(), Target: joined });
const integrationProperties = z.object({
  IntegrationUri: z.object({ 'Fn::GetAtt': z.tuple([z.string(), z.literal('Arn')]) }),
});

function nameOf({ Metadata }: Resource): string {
  return `${Metadata['aws:cdk:path'].split('/')[1]}`;
}

/** Reads what `cdk synth` wrote. */
export async function readAssembly(folder: string): Promise<Assembly> {
  const text = await readFile(join(folder, 'Service.template.json'), 'utf8');
  const parsed = z.object({ Resources: z.record(z.string(), z.unknown()) }).parse(JSON.parse(text));
  const resources = new Map(Object.entries(parsed.Resources).map(([id, value]) => [id, resource.parse(value)]));
  const ofType = (type: string) => [...resources].filter(([, { Type }]) => Type === type);
  const find = (id: string) => {
    const found = resources.get(id);
    if (!found) throw new Error(`the template has no ${id}`);
    return found;
  };
  const asset = (found: Resource) => join(folder, `${found.Metadata['aws:asset:path']}`);
  const functions = ofType('AWS::Lambda::Function').map(([, found]) => {
    const { Handler, MemorySize, Timeout, Layers, Environment } = functionProperties.parse(found.Properties);
    const [layer] = Layers;
    return {
      name: nameOf(found),
      task: asset(found),
      layer: layer === undefined ? undefined : asset(find(layer)),
      handler: Handler,
      memory: MemorySize,
      timeout: Timeout * 1000,
      variables: Environment.Variables,
    };
  });
  const routes = ofType('AWS::ApiGatewayV2::Route').map(([, found]) => {
    const { RouteKey, AuthorizationType, Target } = routeProperties.parse(found.Properties);
    const integration = integrationProperties.parse(find(Target['Fn::Join'][1][1]).Properties);
    const target = nameOf(find(integration.IntegrationUri['Fn::GetAtt'][0]));
    return { key: RouteKey, target, signed: AuthorizationType === 'AWS_IAM' };
  });
  return { functions: new Map(functions.map((target) => [target.name, target])), routes };
}

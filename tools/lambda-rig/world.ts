import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { ORDER_CONTEXT, SECRET_NAME, WALLET_KEY } from '../support/deployment.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { type FakeKms, startKms } from '../support/kms.ts';
import { paperTokens } from '../support/paper-settings.ts';
import { type SecretStore, startSecretStore } from '../support/secret-store.ts';
import { synthesize } from '../support/synthesize.ts';
import type { ClientRequest } from './gateway.ts';
import type { DeployedFunction } from './sandbox.ts';

const KMS_KEY = 'alias/rig';

/** The synthesized functions of a deployment, by the names of their endpoints. */
type Deployment = ReadonlyMap<string, DeployedFunction>;

/** Everything around the functions, on this machine. */
export interface World extends AsyncDisposable {
  readonly venue: PaperVenue;
  readonly venueUrl: string;
  readonly secrets: SecretStore;
  readonly readOnly: Deployment;
  readonly trading: Deployment;
  /** The same with its key in KMS and no secret. */
  readonly tradingByKms: Deployment;
  readonly kms: FakeKms;
  /** A function that does nothing: the cost of any start. */
  readonly empty: DeployedFunction;
  /** The variables by which the functions find AWS. */
  readonly variables: Readonly<Record<string, string>>;
  /** A token with a book. */
  readonly token: string;
  /** Creates an order that rests. */
  order(headers?: Readonly<Record<string, string>>): ClientRequest;
}

const metadata = z.looseObject({ 'aws:cdk:path': z.string(), 'aws:asset:path': z.string() });
const lambdaFunction = z.object({
  Type: z.literal('AWS::Lambda::Function'),
  Properties: z.object({
    Handler: z.string(),
    MemorySize: z.number(),
    Timeout: z.number(),
    Environment: z.object({ Variables: z.record(z.string(), z.unknown()) }).default({ Variables: {} }),
  }),
  Metadata: metadata,
});
const layerVersion = z.object({ Type: z.literal('AWS::Lambda::LayerVersion'), Metadata: metadata });
const template = z.object({ Resources: z.record(z.string(), z.unknown()) });

/** Builds and synthesizes, and reads the functions out of the template. */
async function deploy(folder: string, context: Readonly<Record<string, string>>): Promise<Deployment> {
  const directory = await synthesize(folder, context);
  const text = await readFile(join(directory, 'Service.template.json'), 'utf8');
  const resources = Object.values(template.parse(JSON.parse(text)).Resources);
  const layers = resources.flatMap((found) => layerVersion.safeParse(found).data ?? []);
  const functions = resources.flatMap((found) => lambdaFunction.safeParse(found).data ?? []);
  const deployed = functions.map(({ Properties, Metadata }) => ({
    name: `${Metadata['aws:cdk:path'].split('/')[1]}`.toLowerCase(),
    task: join(directory, Metadata['aws:asset:path']),
    layer: join(directory, `${layers[0]?.Metadata['aws:asset:path']}`),
    handler: Properties.Handler,
    memory: Properties.MemorySize,
    timeout: Properties.Timeout * 1_000,
    // A reference, such as that to the table, has no value before a deployment.
    variables: Object.fromEntries(
      Object.entries(Properties.Environment.Variables).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : '',
      ]),
    ),
  }));
  return new Map(deployed.map((target) => [target.name, target]));
}

async function createEmptyFunction(folder: string): Promise<DeployedFunction> {
  const task = join(folder, 'empty');
  await mkdir(task);
  await writeFile(join(task, 'index.mjs'), 'export const handler = async () => ({ statusCode: 200, headers: {} });\n');
  const [handler, memory, timeout] = ['index.handler', 128, 3_000] as const;
  return { name: 'empty', task, layer: task, handler, memory, timeout, variables: {} };
}

/** Starts everything around the functions. */
export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'rig-'));
  const venue = createPaperVenue({ still: true });
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const secrets = await startSecretStore(SECRET_NAME);
  const table = await startDynamoDb();
  const context = { gammaUrl: url, clobUrl: url, corsOrigins: 'https://app.example' };
  const kms = await startKms(KMS_KEY, WALLET_KEY.slice(2));
  const { privateKeySecret: _, ...byKms } = { ...context, ...ORDER_CONTEXT, kmsKey: KMS_KEY };
  const [token = ''] = await paperTokens(url);
  return {
    venue,
    venueUrl: url,
    secrets,
    token,
    readOnly: await deploy(join(folder, 'read-only'), context),
    trading: await deploy(join(folder, 'trading'), { ...context, ...ORDER_CONTEXT }),
    tradingByKms: await deploy(join(folder, 'kms'), byKms),
    kms,
    empty: await createEmptyFunction(folder),
    variables: {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
      AWS_ENDPOINT_URL_KMS: kms.url,
      AWS_ENDPOINT_URL_DYNAMODB: String(table.client.endpoint),
      SERVICE_STORE: `dynamodb:${table.tableName}`,
    },
    order: (headers = {}) => ({
      method: 'POST',
      path: '/v1/orders',
      headers: { 'x-request-id': 'rig-1', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ token_id: token, side: 'buy', price: 0.01, size: '5', post_only: true }),
    }),
    [Symbol.asyncDispose]: async () => {
      await venue.close();
      secrets.close();
      kms.close();
      await table.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

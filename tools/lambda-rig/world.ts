import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createPaperVenue, type PaperVenue } from '../../packages/paper-venue/venue.ts';
import { ORDER_CONTEXT, SECRET_NAME } from '../support/deployment.ts';
import { startDynamoDb } from '../support/dynamodb.ts';
import { synthesize } from '../support/synthesize.ts';
import { type Assembly, type DeployedFunction, readAssembly } from './assembly.ts';
import { LISTED_ORIGIN } from './requests.ts';
import { prepareStage, type Stage } from './sandbox.ts';
import { type SecretStore, startSecretStore } from './secret-store.ts';

/** Everything around the functions, on this machine. */
export interface World {
  readonly venue: PaperVenue;
  readonly venueUrl: string;
  /** An outcome of a market with tick 0.01, a minimum of 5 shares and a best ask below 0.6. */
  readonly token: string;
  readonly secrets: SecretStore;
  readonly stage: Stage;
  readonly readOnly: Assembly;
  readonly trading: Assembly;
  /** A function that shows the cost of any start. */
  readonly empty: DeployedFunction;
  /** The variables by which the functions find AWS. */
  readonly variables: Readonly<Record<string, string>>;
  /** Lets the venue behave again. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

/** The cap on an order. */
export const CAP = '50';

const listed = z.object({ markets: z.array(z.object({ question: z.string(), clobTokenIds: z.string().nullable() })) });

/** The rows are written for one market of the paper venue. */
async function findToken(venueUrl: string): Promise<string> {
  const response = await fetch(`${venueUrl}/markets/keyset?limit=100`);
  const { markets } = listed.parse(await response.json());
  const market = markets.find(({ question }) => question === 'Will the Copper Lake ferry run on Founders Day?');
  const [token] = z.array(z.string()).parse(JSON.parse(market?.clobTokenIds ?? '[]'));
  if (token === undefined) throw new Error('the paper venue does not list the market that the rows are written for');
  return token;
}

async function createEmptyFunction(folder: string): Promise<DeployedFunction> {
  const task = join(folder, 'empty');
  await mkdir(task);
  await writeFile(join(task, 'index.mjs'), 'export const handler = async () => ({ statusCode: 200, headers: {} });\n');
  return {
    name: 'empty',
    task,
    layer: undefined,
    handler: 'index.handler',
    memory: 128,
    timeout: 3_000,
    variables: {},
  };
}

/** Starts everything around the functions. */
export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'rig-world-'));
  const venue = createPaperVenue({ still: true });
  const { url } = await venue.listen({ host: '127.0.0.1', port: 0 });
  const secrets = await startSecretStore(SECRET_NAME);
  const table = await startDynamoDb();
  const stage = await prepareStage();
  const context = { gammaUrl: url, clobUrl: url, corsOrigins: LISTED_ORIGIN };
  const readOnly = await synthesize(join(folder, 'read-only'), context);
  const trading = await synthesize(join(folder, 'trading'), { ...context, ...ORDER_CONTEXT, maxOrderNotional: CAP });
  return {
    venue,
    venueUrl: url,
    token: await findToken(url),
    secrets,
    stage,
    readOnly: await readAssembly(readOnly),
    trading: await readAssembly(trading),
    empty: await createEmptyFunction(folder),
    variables: {
      AWS_ENDPOINT_URL_SECRETS_MANAGER: secrets.url,
      AWS_ENDPOINT_URL_DYNAMODB: String(table.client.endpoint),
      // The template refers to the table that CloudFormation would make.
      SERVICE_ORDERS_TABLE: table.tableName,
    },
    calm: async () => {
      await fetch(`${url}/paper/faults`, { method: 'DELETE' });
    },
    close: async () => {
      await venue.close();
      secrets.close();
      await table.close();
      await stage.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

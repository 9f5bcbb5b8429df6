import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { WALLET_KEY } from '../../support/deployment.ts';
import { listenOnLoopback, shut } from '../../support/loopback.ts';
import type { Bench } from '../bench.ts';

/** USD: list prices of eu-west-1 on arm64 as assumed in November 2026, for a million of each where no other unit is named. */
const PRICE = {
  gatewayRequest: 1.11,
  invocation: 0.2,
  gigabyteSecond: 13.3334,
  readUnit: 0.141,
  writeUnit: 0.705,
  logGigabyte: 0.57,
  egressGigabyte: 0.09,
} as const;

/** Response headers, in bytes. */
const HEADER_BYTES = 500;

/** What is assumed of an endpoint: this machine has neither the gateway's log nor Lambda's processors. */
const ASSUMED = {
  'cost-books': { billedMs: 29, gatewayLogBytes: 400 },
  'cost-keyed-orders': { billedMs: 39, gatewayLogBytes: 360 },
} as const;

type RowName = keyof typeof ASSUMED;

/** What one warm request takes. */
interface Use {
  readonly memoryMb: number;
  readonly responseBytes: number;
  readonly logBytes: number;
  readonly readUnits: number;
  readonly writeUnits: number;
}

/** Returns the USD for a million requests. */
function costOf(name: RowName, { memoryMb, responseBytes, logBytes, readUnits, writeUnits }: Use): number {
  const { billedMs, gatewayLogBytes } = ASSUMED[name];
  // A million bytes are 0.001 GB, and a million requests of a byte each are that many.
  const perByte = 0.001;
  return (
    PRICE.gatewayRequest +
    PRICE.invocation +
    PRICE.gigabyteSecond * (memoryMb / 1024) * (billedMs / 1000) +
    PRICE.readUnit * readUnits +
    PRICE.writeUnit * writeUnits +
    PRICE.logGigabyte * perByte * (logBytes + gatewayLogBytes) +
    PRICE.egressGigabyte * perByte * (responseBytes + HEADER_BYTES)
  );
}

const call = z.looseObject({});
const capacity = z.object({ ConsumedCapacity: z.object({ CapacityUnits: z.number() }) });

/** Passes requests on to a table, and adds up the units that they consume. */
async function startMeter(tableUrl: string) {
  const used = { readUnits: 0, writeUnits: 0 };
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    const body = JSON.stringify({ ...call.parse(JSON.parse(await text(request))), ReturnConsumedCapacity: 'TOTAL' });
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
      'x-amz-date': String(request.headers['x-amz-date']),
      authorization: String(request.headers.authorization),
    };
    const answer = await fetch(tableUrl, { method: 'POST', headers, body });
    const answered = await answer.text();
    if (answer.ok) {
      const { CapacityUnits } = capacity.parse(JSON.parse(answered)).ConsumedCapacity;
      used[target.endsWith('GetItem') ? 'readUnits' : 'writeUnits'] += CapacityUnits;
    }
    response.writeHead(answer.status, { 'content-type': 'application/x-amz-json-1.0' }).end(answered);
  });
  return { url: await listenOnLoopback(server), used, close: () => shut(server) };
}

const answer = z.object({ statusCode: z.number(), body: z.string(), isBase64Encoded: z.optional(z.boolean()) });

/** Opens the deployed functions with a meter before their table. */
async function openFunctions() {
  // Loaded only here: the CDK is a large library, which the load generator's process does not need.
  const { openWorld } = await import('../../lambda-rig/world.ts');
  const { startSandbox } = await import('../../lambda-rig/sandbox.ts');
  const { toEvent } = await import('../../lambda-rig/gateway.ts');
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const meter = await startMeter(world.variables['AWS_ENDPOINT_URL_DYNAMODB'] ?? '');
  const requests = {
    book: () => ({ method: 'GET', path: `/v1/book/${world.token}`, headers: { 'accept-encoding': 'gzip' } }),
    orders: () => world.order({ 'idempotency-key': randomUUID() }),
  } as const;
  const measure = async (name: keyof typeof requests): Promise<Use> => {
    const target = world.trading.get(name);
    if (!target) throw new Error('the template has not got the function');
    using sandbox = await startSandbox(target, { ...world.variables, AWS_ENDPOINT_URL_DYNAMODB: meter.url });
    const ask = async () => {
      const result = await sandbox.invoke(toEvent(requests[name](), true).event);
      const { statusCode, body, isBase64Encoded } = answer.parse(result);
      if (statusCode >= 400) throw new Error(`${name} answered ${statusCode}: ${body}`);
      // The log comes by a pipe of its own.
      await sleep(100);
      return Buffer.byteLength(body, isBase64Encoded ? 'base64' : 'utf8');
    };
    await ask();
    const before = { ...meter.used, log: Buffer.byteLength(sandbox.output()) };
    const responseBytes = await ask();
    return {
      memoryMb: target.memory,
      responseBytes,
      logBytes: Buffer.byteLength(sandbox.output()) - before.log,
      readUnits: meter.used.readUnits - before.readUnits,
      writeUnits: meter.used.writeUnits - before.writeUnits,
    };
  };
  const dispose = async () => {
    await meter.close();
    await world[Symbol.asyncDispose]();
  };
  return { measure, [Symbol.asyncDispose]: dispose };
}

function row(name: RowName, what: string, atMost: number) {
  return { name, figure: `a million ${what} on AWS`, baseline: 'one', unit: 'USD', target: { atMost } } as const;
}

/** The price of warm requests: sizes of log lines and responses and units of the table are measured, the rest is assumed. */
export const cost: Bench = {
  rows: [row('cost-books', 'books', 2.2), row('cost-keyed-orders', 'keyed orders', 6.5)],
  async *rounds() {
    await using functions = await openFunctions();
    for (;;) {
      const books = costOf('cost-books', await functions.measure('book'));
      const orders = costOf('cost-keyed-orders', await functions.measure('orders'));
      yield {
        'cost-books': { value: books, baseline: 1, errors: 0 },
        'cost-keyed-orders': { value: orders, baseline: 1, errors: 0 },
      };
    }
  },
};

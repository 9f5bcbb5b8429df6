import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { WALLET_KEY } from '../support/deployment.ts';
import { type Bench, median, type Row } from './bench.ts';

const answer = z.object({ statusCode: z.number(), body: z.string(), isBase64Encoded: z.optional(z.boolean()) });

/** Opens the synthesized functions under Lambda's runtime client, on the paper venue. */
async function openFunctions() {
  // Loaded only here: the CDK is a large library, which the load generator's process does not need.
  const { openWorld } = await import('../lambda-rig/world.ts');
  const { startSandbox } = await import('../lambda-rig/sandbox.ts');
  const { toEvent } = await import('../lambda-rig/gateway.ts');
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const health = () => ({ method: 'GET', path: '/health' });
  const requests = {
    empty: health,
    health,
    book: () => ({ method: 'GET', path: `/v1/book/${world.token}`, headers: { 'accept-encoding': 'gzip' } }),
    orders: () => world.order({ 'idempotency-key': randomUUID() }),
  } as const;
  const open = async (name: keyof typeof requests) => {
    const target = name === 'empty' ? world.empty : world.trading.get(name);
    if (!target) throw new Error(`The template has no function ${name}.`);
    const sandbox = await startSandbox(target, world.variables);
    const ask = async () => {
      const result = answer.parse(await sandbox.invoke(toEvent(requests[name](), true).event));
      if (result.statusCode >= 400) throw new Error(`${name} answered ${result.statusCode}: ${result.body}`);
      return Buffer.byteLength(result.body, result.isBase64Encoded ? 'base64' : 'utf8');
    };
    const logBytes = () => Buffer.byteLength(sandbox.output());
    return {
      memory: target.memory,
      initialised: sandbox.initialised,
      ask,
      logBytes,
      [Symbol.dispose]: () => sandbox[Symbol.dispose](),
    };
  };
  return { open, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

function cold(name: string, atMost: number): Row {
  const figure = `Lambda cold start, init + first request, ${name}`;
  return { figure, baseline: 'empty handler, same runtime client', unit: 'ms', target: { atMost } };
}

/** The wait of the first caller of an execution environment, over the start of Lambda's runtime client. */
export const coldStart: Bench = {
  rows: { 'cold-health': cold('health', 1.2), 'cold-book': cold('book', 1.6), 'cold-orders': cold('orders', 4) },
  async *rounds({ scale }) {
    await using functions = await openFunctions();
    const start = async (name: 'empty' | 'health' | 'book' | 'orders') => {
      using running = await functions.open(name);
      const init = await running.initialised;
      const startedAt = performance.now();
      await running.ask();
      return init + performance.now() - startedAt;
    };
    await start('empty');
    for (;;) {
      const times: Record<'empty' | 'health' | 'book' | 'orders', number>[] = [];
      while (times.length < Math.ceil(9 * scale))
        times.push({
          empty: await start('empty'),
          health: await start('health'),
          book: await start('book'),
          orders: await start('orders'),
        });
      const of = (name: 'empty' | 'health' | 'book' | 'orders') => median(times.map((each) => each[name]));
      const sample = (name: 'health' | 'book' | 'orders') => ({ value: of(name), baseline: of('empty') });
      yield { 'cold-health': sample('health'), 'cold-book': sample('book'), 'cold-orders': sample('orders') };
    }
  },
};

/**
 * USD for a million of each, by list prices of eu-west-1 on arm64 in November 2026: gateway and invocation 1.31, a GB-second
 * 13.3334, a GB of log 0.57, a GB of egress 0.09. The units of the table are those of docs/performance.md; the billed time and
 * the gateway's log are assumed, since this machine has neither.
 */
const USE = {
  book: { billedMs: 29, gatewayLogBytes: 400, tableUsd: 0 },
  orders: { billedMs: 39, gatewayLogBytes: 360, tableUsd: 0.141 + 4 * 0.705 },
} as const;
/** Response headers, in bytes. */
const HEADER_BYTES = 500;

function price(what: string, atMost: number): Row {
  return { figure: `a million ${what} on AWS`, baseline: 'one', unit: 'USD', target: { atMost } };
}

/** The price of warm requests: sizes of log lines and responses are measured. */
export const cost: Bench = {
  rows: { 'cost-books': price('books', 2.2), 'cost-keyed-orders': price('keyed orders', 6.5) },
  async *rounds() {
    await using functions = await openFunctions();
    const costOf = async (name: 'book' | 'orders') => {
      using running = await functions.open(name);
      await running.ask();
      // The log comes by a pipe of its own.
      await sleep(100);
      const before = running.logBytes();
      const responseBytes = await running.ask();
      await sleep(100);
      const { billedMs, gatewayLogBytes, tableUsd } = USE[name];
      const computing = 13.3334 * (running.memory / 1024) * (billedMs / 1_000);
      // A million requests of a byte each are 0.001 GB.
      const logs = 0.57 * 0.001 * (running.logBytes() - before + gatewayLogBytes);
      return { value: 1.31 + computing + tableUsd + logs + 0.09 * 0.001 * (responseBytes + HEADER_BYTES), baseline: 1 };
    };
    for (;;) yield { 'cost-books': await costOf('book'), 'cost-keyed-orders': await costOf('orders') };
  },
};

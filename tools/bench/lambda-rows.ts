import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WALLET_KEY } from '../support/deployment.ts';
import type { Bench } from './bench.ts';

const NAMES = ['empty', 'health', 'book', 'orders'] as const;
type FunctionName = (typeof NAMES)[number];

/** A log line of a function has arrived by then. */
const LOG_MS = 100;

/** Opens the synthesized functions under Lambda's runtime client, on the paper venue. */
async function openFunctions() {
  // Loaded only here: the CDK is a large library, which the load generator's process does not need.
  const { openWorld } = await import('../lambda-rig/world.ts');
  const { startSandbox } = await import('../lambda-rig/sandbox.ts');
  const { toEvent, toResponse } = await import('../lambda-rig/gateway.ts');
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const requestFor = (name: FunctionName) => {
    if (name === 'orders') return world.order({ 'idempotency-key': randomUUID() });
    if (name !== 'book') return { method: 'GET', path: '/health' };
    return { method: 'GET', path: `/v1/book/${world.token}`, headers: { 'accept-encoding': 'gzip' } };
  };
  /** Starts a function and asks it twice. */
  const start = async (name: FunctionName) => {
    const target = name === 'empty' ? world.empty : world.trading.get(name);
    if (!target) throw new Error(`The template has no function ${name}.`);
    using sandbox = await startSandbox(target, world.variables);
    /** Returns the size of the answer's body. */
    const ask = async () => {
      const response = toResponse(await sandbox.invoke(toEvent(requestFor(name), true).event));
      if (!response.ok) throw new Error(`${name} answered ${response.status}: ${await response.text()}`);
      return (await response.arrayBuffer()).byteLength;
    };
    const init = await sandbox.initialised;
    const startedAt = performance.now();
    await ask();
    const coldMs = init + performance.now() - startedAt;
    // The log comes by a pipe of its own.
    await sleep(LOG_MS);
    const logged = sandbox.output().length;
    const answerBytes = await ask();
    await sleep(LOG_MS);
    return { coldMs, memory: target.memory, answerBytes, logBytes: sandbox.output().length - logged };
  };
  return { start, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

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

type Started = Awaited<ReturnType<Awaited<ReturnType<typeof openFunctions>>['start']>>;

/** Returns the price of a million warm requests. */
function costOf(name: keyof typeof USE, { memory, answerBytes, logBytes }: Started): number {
  const { billedMs, gatewayLogBytes, tableUsd } = USE[name];
  const computing = 13.3334 * (memory / 1024) * (billedMs / 1_000);
  // A million requests of a byte each are 0.001 GB.
  const logs = 0.57 * 0.001 * (logBytes + gatewayLogBytes);
  return 1.31 + computing + tableUsd + logs + 0.09 * 0.001 * (answerBytes + HEADER_BYTES);
}

/** The wait of the first caller of a function, over the start of Lambda's runtime client, and the price of the others. */
export const functions: Bench = async function* (scale) {
  await using opened = await openFunctions();
  for (;;) {
    const started: Record<FunctionName, Started[]> = { empty: [], health: [], book: [], orders: [] };
    while (started.empty.length < 9 * scale) for (const name of NAMES) started[name].push(await opened.start(name));
    const cold = (name: FunctionName) => started[name].map(({ coldMs }) => coldMs);
    const costs = (name: keyof typeof USE) => started[name].map((each) => costOf(name, each));
    yield [
      { row: 'cold-health', ours: cold('health'), theirs: cold('empty') },
      { row: 'cold-book', ours: cold('book'), theirs: cold('empty') },
      { row: 'cold-orders', ours: cold('orders'), theirs: cold('empty') },
      { row: 'cost-books', ours: costs('book'), theirs: [1] },
      { row: 'cost-keyed-orders', ours: costs('orders'), theirs: [1] },
    ];
  }
};

import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { WALLET_KEY } from '../support/deployment.ts';
import type { Bench } from './bench.ts';

const NAMES = ['empty', 'health', 'book', 'orders'] as const;
type FunctionName = (typeof NAMES)[number];

const exchange = z.object({ request: z.instanceof(IncomingMessage) });

/**
 * Starts a clock of the time in which emulators, which are servers of this process, have a request to answer. The function that is
 * returned sets it to zero and returns what it showed.
 */
function watchEmulators(): () => number {
  let [since, total] = [0, 0];
  const open = new Set<IncomingMessage>();
  subscribe('http.server.request.start', (message) => {
    const { request } = exchange.parse(message);
    // Lambda's runtime API is no emulator: any function waits for it.
    if (request.url?.startsWith('/2018-06-01/')) return;
    if (open.size === 0) since = performance.now();
    open.add(request);
  });
  subscribe('http.server.response.finish', (message) => {
    const isLast = open.delete(exchange.parse(message).request) && open.size === 0;
    if (isLast) total += performance.now() - since;
  });
  return () => {
    const shown = total;
    total = 0;
    // A function is stopped in the middle of its requests.
    open.clear();
    return shown;
  };
}

/** Opens the synthesized functions under Lambda's runtime client, on the paper venue. */
async function openFunctions() {
  // Loaded only here: the CDK is a large library, which the load generator's process does not need.
  const { openWorld } = await import('../lambda-rig/world.ts');
  const { startSandbox } = await import('../lambda-rig/sandbox.ts');
  const { toEvent, toResponse } = await import('../lambda-rig/gateway.ts');
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const emulated = watchEmulators();
  const requestFor = (name: FunctionName) => {
    if (name === 'orders') return world.order({ 'idempotency-key': randomUUID() });
    if (name !== 'book') return { method: 'GET', path: '/health' };
    return { method: 'GET', path: `/v1/book/${world.token}`, headers: { 'accept-encoding': 'gzip' } };
  };
  /** Starts a function and asks it once. Returns the milliseconds of both, without those of the emulators. */
  const start = async (name: FunctionName) => {
    const target = name === 'empty' ? world.empty : world.trading.get(name);
    if (!target) throw new Error(`The template has no function ${name}.`);
    emulated();
    using sandbox = await startSandbox(target, world.variables);
    const init = await sandbox.initialised;
    const startedAt = performance.now();
    const response = toResponse(await sandbox.invoke(toEvent(requestFor(name), true).event));
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    return init + performance.now() - startedAt - emulated();
  };
  return { start, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

/** The wait of the first caller of a function, over the start of Lambda's runtime client. */
export const functions: Bench = async function* (scale) {
  await using opened = await openFunctions();
  for (;;) {
    const cold: Record<FunctionName, number[]> = { empty: [], health: [], book: [], orders: [] };
    while (cold.empty.length < 9 * scale) for (const name of NAMES) cold[name].push(await opened.start(name));
    yield [
      { row: 'cold-health', ours: cold.health, theirs: cold.empty },
      { row: 'cold-book', ours: cold.book, theirs: cold.empty },
      { row: 'cold-orders', ours: cold.orders, theirs: cold.empty },
    ];
  }
};

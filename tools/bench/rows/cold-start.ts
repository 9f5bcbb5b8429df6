import * as z from 'zod/mini';
import { WALLET_KEY } from '../../support/deployment.ts';
import type { Bench, Sample } from '../bench.ts';
import { median } from '../statistics.ts';

const NAMES = ['empty', 'health', 'book', 'orders'] as const;

const answer = z.object({ statusCode: z.number() });

function row(name: string, atMost: number) {
  const figure = `Lambda cold start, init + first request, ${name}`;
  return {
    name: `cold-${name}`,
    figure,
    baseline: 'empty handler, same runtime client',
    unit: 'ms',
    target: { atMost },
  } as const;
}

/** Opens the synthesized functions under Lambda's runtime client, on the paper venue. */
async function openFunctions() {
  // Loaded only here: the CDK is a large library, which the load generator's process does not need.
  const { openWorld } = await import('../../lambda-rig/world.ts');
  const { startSandbox } = await import('../../lambda-rig/sandbox.ts');
  const { toEvent } = await import('../../lambda-rig/gateway.ts');
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const requests = {
    empty: { method: 'GET', path: '/health' },
    health: { method: 'GET', path: '/health' },
    book: { method: 'GET', path: `/v1/book/${world.token}` },
    orders: world.order(),
  };
  const start = async (name: (typeof NAMES)[number]): Promise<number> => {
    const target = name === 'empty' ? world.empty : world.trading.get(name);
    if (!target) throw new Error('the template has not got the function');
    using sandbox = await startSandbox(target, world.variables);
    const init = await sandbox.initialised;
    const startedAt = performance.now();
    const { statusCode } = answer.parse(await sandbox.invoke(toEvent(requests[name], true).event));
    if (statusCode >= 400) throw new Error(`${name} answered ${statusCode}`);
    return init + performance.now() - startedAt;
  };
  return { start, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() };
}

/** The wait of the first caller of an execution environment, over the start of Lambda's runtime client. */
export const coldStart: Bench = {
  rows: [row('health', 1.15), row('book', 1.35), row('orders', 3.1)],
  async *rounds(extent) {
    await using functions = await openFunctions();
    const repeats = extent.count(9);
    await functions.start('empty');
    for (;;) {
      const times = new Map<string, number[]>(NAMES.map((name) => [name, []]));
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        for (const name of NAMES) times.get(name)?.push(await functions.start(name));
      }
      const of = (name: string) => median(times.get(name) ?? []);
      const sample = (name: string): Sample => ({ value: of(name), baseline: of('empty'), errors: 0 });
      yield { 'cold-health': sample('health'), 'cold-book': sample('book'), 'cold-orders': sample('orders') };
    }
  },
};

import * as z from 'zod/mini';
import { WALLET_KEY } from '../../support/deployment.ts';
import type { Bench, Sample } from '../bench.ts';
import { median } from '../statistics.ts';

const answer = z.object({ statusCode: z.number() });

const EMPTY = 'empty handler, same runtime client';

function row(name: string, of: string, atMost: number) {
  const figure = `Lambda cold start, init + first request, ${of}`;
  return { name: `cold-${name}`, figure, baseline: EMPTY, unit: 'ms', target: { atMost } } as const;
}

/** Opens what the functions run in: the synthesized assets under Lambda's runtime client, on the paper venue. */
async function openRig() {
  // Loaded only here: synthesizing brings a large library, which the load generator's process does not need.
  const [{ openWorld }, { startSandbox }, gateway, requests] = await Promise.all([
    import('../../lambda-rig/world.ts'),
    import('../../lambda-rig/sandbox.ts'),
    import('../../lambda-rig/gateway.ts'),
    import('../../lambda-rig/requests.ts'),
  ]);
  const world = await openWorld();
  world.secrets.set(WALLET_KEY);
  const get = (path: string) => ({ method: 'GET', path });
  const { empty, trading } = world;
  const calls = {
    empty: { target: empty, request: get('/health') },
    'cold-health': { target: trading.functions.get('Health'), request: get('/health') },
    'cold-book': { target: trading.functions.get('Book'), request: get(`/v1/book/${world.token}`) },
    'cold-orders': { target: trading.functions.get('Orders'), request: requests.order(world.token) },
  } as const;
  const start = async ({ target, request }: (typeof calls)[keyof typeof calls]): Promise<number> => {
    if (!target) throw new Error('the template has not got the function');
    const sandbox = await startSandbox(target, world.stage, world.variables);
    try {
      const init = await sandbox.initialised;
      const startedAt = performance.now();
      const { statusCode } = answer.parse(await sandbox.invoke(gateway.route(trading, request).event));
      if (statusCode >= 400) throw new Error(`${target.name} answered ${statusCode}`);
      return init + performance.now() - startedAt;
    } finally {
      sandbox.stop();
    }
  };
  return { calls, start, [Symbol.asyncDispose]: () => world.close() };
}

/** The wait of the first caller of an execution environment, against what Lambda's runtime alone takes. */
export const coldStart: Bench = {
  rows: [row('health', 'health', 1.15), row('book', 'book', 1.35), row('orders', 'orders', 3.1)],
  async *rounds(extent) {
    await using rig = await openRig();
    const { calls, start } = rig;
    const repeats = extent.count(9);
    await start(calls.empty);
    for (;;) {
      const times = new Map<string, number[]>(Object.keys(calls).map((name) => [name, []]));
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        for (const [name, call] of Object.entries(calls)) times.get(name)?.push(await start(call));
      }
      const of = (name: keyof typeof calls) => median(times.get(name) ?? []);
      const sample = (name: keyof typeof calls): Sample => ({ value: of(name), baseline: of('empty'), errors: 0 });
      yield {
        'cold-health': sample('cold-health'),
        'cold-book': sample('cold-book'),
        'cold-orders': sample('cold-orders'),
      };
    }
  },
};

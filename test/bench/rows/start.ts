import { type Bench, inTurn } from '../bench.ts';
import { runProcess } from '../processes.ts';
import { type ServiceOptions, startService } from '../services.ts';
import { median } from '../statistics.ts';

const NOTHING = 'node -e 0';
/** Nothing is asked of it at the start. */
const NO_VENUE = 'http://127.0.0.1:9';

async function timeStart(mode: ServiceOptions['mode']): Promise<number> {
  await using service = await startService(NO_VENUE, mode && { mode });
  return service.startTime;
}

async function timeNothing(): Promise<number> {
  return (await runProcess({ args: ['-e', '0'] })).time;
}

async function compare(round: number, repeats: number, mode: ServiceOptions['mode']) {
  const pairs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    pairs.push(await inTurn(round + repeat, () => timeStart(mode), timeNothing));
  }
  return { value: median(pairs.map(([ours]) => ours)), baseline: median(pairs.map(([, base]) => base)), errors: 0 };
}

/** From the spawn to listening. */
export const start: Bench = {
  rows: [
    {
      name: 'start-orders',
      figure: 'start to listening, order-placing',
      baseline: NOTHING,
      unit: 'ms',
      target: { atMost: 12 },
    },
    {
      name: 'start-read-only',
      figure: 'start to listening, read-only',
      baseline: NOTHING,
      unit: 'ms',
      target: { atMost: 12 },
    },
  ],
  async *rounds(stage) {
    const repeats = stage.count(5);
    await compare(0, 1, 'order-placing');
    for (let round = 0; ; round += 1) {
      yield {
        'start-orders': await compare(round, repeats, 'order-placing'),
        'start-read-only': await compare(round, repeats, 'read-only'),
      };
    }
  },
};

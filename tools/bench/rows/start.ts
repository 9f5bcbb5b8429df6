import { type Bench, inTurn, type Stage } from '../bench.ts';
import { runProcess } from '../processes.ts';
import { median } from '../statistics.ts';

const NOTHING = 'node -e 0';
/** Nothing is asked of it at the start. */
const NO_VENUE = 'http://127.0.0.1:9';

const MODES = { 'start-orders': 'order-placing', 'start-read-only': 'read-only' } as const;

type RowName = keyof typeof MODES;

async function timeStart(stage: Stage, row: RowName): Promise<number> {
  await using service = await stage.startService(NO_VENUE, { mode: MODES[row], rows: [row] });
  return service.startTime;
}

async function timeNothing(): Promise<number> {
  return (await runProcess({ args: ['-e', '0'] })).time;
}

async function compare(stage: Stage, row: RowName, round: number) {
  const pairs = [];
  const repeats = stage.count(5);
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    pairs.push(await inTurn(round + repeat, () => timeStart(stage, row), timeNothing));
  }
  return { value: median(pairs.map(([ours]) => ours)), baseline: median(pairs.map(([, base]) => base)), errors: 0 };
}

/** From the spawn to listening. */
export const start: Bench = {
  rows: [
    {
      name: 'start-orders',
      withStart: true,
      figure: 'start to listening, order-placing',
      baseline: NOTHING,
      unit: 'ms',
      target: { atMost: 8 },
    },
    {
      name: 'start-read-only',
      withStart: true,
      figure: 'start to listening, read-only',
      baseline: NOTHING,
      unit: 'ms',
      target: { atMost: 12 },
    },
  ],
  async *rounds(stage) {
    await timeStart(stage, 'start-orders');
    for (let round = 0; ; round += 1) {
      yield {
        'start-orders': await compare(stage, 'start-orders', round),
        'start-read-only': await compare(stage, 'start-read-only', round),
      };
    }
  },
};

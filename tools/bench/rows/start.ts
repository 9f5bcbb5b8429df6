import { type Bench, inTurn } from '../bench.ts';
import { runProcess } from '../processes.ts';
import { startService } from '../services.ts';
import { median } from '../statistics.ts';

/** The service sends no request at the start. */
const NO_VENUE = 'http://127.0.0.1:9';

async function timeStart(): Promise<number> {
  await using service = await startService(NO_VENUE);
  return service.startTime;
}

async function timeNothing(): Promise<number> {
  return (await runProcess({ args: ['-e', '0'] })).time;
}

/** From the spawn to listening. */
export const start: Bench = {
  rows: [
    {
      name: 'start-orders',
      figure: 'start to listening, order-placing',
      baseline: 'node -e 0',
      unit: 'ms',
      target: { atMost: 9 },
    },
  ],
  async *rounds(extent) {
    const repeats = extent.count(5);
    await timeStart();
    for (let round = 0; ; round += 1) {
      const pairs = [];
      for (let repeat = 0; repeat < repeats; repeat += 1) {
        pairs.push(await inTurn(round + repeat, timeStart, timeNothing));
      }
      const [value, baseline] = [median(pairs.map(([ours]) => ours)), median(pairs.map(([, nothing]) => nothing))];
      yield { 'start-orders': { value, baseline, errors: 0 } };
    }
  },
};

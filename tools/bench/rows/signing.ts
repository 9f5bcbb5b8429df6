import * as z from 'zod/mini';
import type { Bench } from '../bench.ts';
import { runProcess } from '../processes.ts';
import { PRIVATE_KEY } from '../services.ts';

const result = z.object({ ours: z.number(), ethers: z.number() });

/** From an order that obeys the rules to the signed bytes and the id. */
export const signing: Bench = {
  rows: [
    {
      name: 'signing',
      figure: 'signing one order',
      baseline: 'ethers 6 signTypedData',
      unit: 'ms',
      target: { atMost: 1.2 },
    },
  ],
  async *rounds(stage) {
    const env = { BENCH_PRIVATE_KEY: PRIVATE_KEY, BENCH_COUNT: String(stage.count(2_000)) };
    for (;;) {
      const { output } = await runProcess({ args: ['tools/bench/baselines/signing.ts'], env });
      const { ours, ethers } = result.parse(JSON.parse(output));
      yield { signing: { value: ours, baseline: ethers, errors: 0 } };
    }
  },
};

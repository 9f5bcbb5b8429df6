import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flag, oneOf, runCommand, UsageError, wholeNumber } from '../../shared/command-line.ts';
import type { Bench, Sample, Stage } from './bench.ts';
import { ROOT } from './processes.ts';
import { formatProfile, readProfiles, summariseProfiles } from './profile.ts';
import { describeMachine, formatCounts, formatTable, type Result, summariseRow } from './report.ts';
import { coldStart } from './rows/cold-start.ts';
import { cost } from './rows/cost.ts';
import { firstOrder } from './rows/first-order.ts';
import { marketsGrowth, memory } from './rows/memory.ts';
import { keyedOrderRate, orderLatency, orderRate } from './rows/orders.ts';
import { peers } from './rows/peers.ts';
import { readLatency, readRate } from './rows/reads.ts';
import { roundTrips } from './rows/round-trips.ts';
import { scale } from './rows/scale.ts';
import { signing } from './rows/signing.ts';
import { start } from './rows/start.ts';
import { startService } from './services.ts';

const BENCHES = [
  roundTrips,
  orderLatency,
  readLatency,
  readRate,
  orderRate,
  keyedOrderRate,
  firstOrder,
  start,
  memory,
  marketsGrowth,
  signing,
  coldStart,
  cost,
  scale,
  peers,
] as const satisfies readonly Bench[];

/** Response times behind a percentile: 200 are slower than the p99. */
const PERCENTILE_COUNT = 20_000;

/** A shorter load would mostly measure its beginning. */
const LEAST_SECONDS = 1;

interface Extent {
  readonly rounds: number;
  /** Share of the full load. */
  readonly scale: number;
}

const FULL = { rounds: 5, scale: 1 };
/** Enough to see a change of a tenth. */
const QUICK = { rounds: 3, scale: 0.2 };

/** The service processes of one row, whose profiles go to a directory. */
interface Profiling {
  readonly row: string;
  readonly directory: string;
  /** Filled with the microsecond at which each process was known to listen. */
  readonly listeningAt: Map<number, number>;
}

/** A quick run is a smaller one; nothing is left out of it. */
function stageOf({ rounds, scale }: Extent, profiling?: Profiling): Stage {
  return {
    startService: async (venueUrl, { rows, ...options } = {}) => {
      if (!profiling || (rows && !rows.includes(profiling.row))) return startService(venueUrl, options);
      const service = await startService(venueUrl, { ...options, profileDirectory: profiling.directory });
      profiling.listeningAt.set(service.pid, Number(process.hrtime.bigint() / 1_000n));
      return service;
    },
    seconds: (full) => Math.max(LEAST_SECONDS, full * scale),
    count: (full) => Math.ceil(full * scale),
    percentileCount: Math.ceil((PERCENTILE_COUNT * scale) / rounds),
  };
}

/** Measures the rows of a bench. One that breaks keeps the rounds that it had, and says why it has no more. */
async function run(bench: Bench, rounds: number, stage: Stage): Promise<readonly Result[]> {
  const samples = new Map<string, Sample[]>(bench.rows.map(({ name }) => [name, []]));
  let round = 0;
  let failure: string | undefined;
  try {
    for await (const measured of bench.rounds(stage)) {
      for (const [name, sample] of Object.entries(measured)) samples.get(name)?.push(sample);
      round += 1;
      if (round === rounds) break;
    }
  } catch (error) {
    failure = error instanceof Error ? error.message : String(error);
  }
  return bench.rows.map((row) => summariseRow(row, samples.get(row.name) ?? [], failure));
}

const NAMES = BENCHES.flatMap(({ rows }) => rows.map(({ name }) => name));

const COMMAND = {
  purpose: 'Measures the service against baselines of the same run. Prints a table, and writes build/bench.json.',
  usage: 'npm run bench -- [options]',
  options: {
    quick: flag(`${QUICK.rounds} rounds of a fifth of the load, instead of ${FULL.rounds} full ones`),
    only: { type: 'string', value: 'NAME', multiple: true, meaning: 'measure this row; may be given repeatedly' },
    rounds: { type: 'string', value: 'N', meaning: 'rounds of each row' },
    peers: flag('measure the peer too, which is installed from npm into a temporary directory'),
    profile: {
      type: 'string',
      value: 'NAME',
      meaning:
        'one round of this row, with a CPU profile of the service: its ten dearest functions, in place of a table',
    },
  },
  notes: `Rows, each measured together with its neighbours of the same bench:\n  ${NAMES.join(' ')}\n`,
} as const;

/** Measures the rows of some benches, one bench after the other, and tells of each. */
async function runAll(benches: readonly Bench[], rounds: number, stage: Stage): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const [index, bench] of benches.entries()) {
    const names = bench.rows.map(({ name }) => name).join(', ');
    process.stderr.write(`${index + 1} of ${benches.length}: ${names} ...\n`);
    const measured = await run(bench, rounds, stage);
    results.push(...measured);
    for (const { name, verdict, ratio, failure = '' } of measured) {
      process.stderr.write(`${name}: ${ratio.middle.toFixed(2)}x ${verdict} ${failure}\n`);
    }
  }
  return results;
}

/** Profiles the service in one row. A profiled service is slower: nothing is compared. */
async function profileRow(row: string, rounds: number, extent: Extent): Promise<number> {
  const bench: Bench | undefined = BENCHES.find(({ rows }) => rows.some(({ name }) => name === row));
  if (!bench) return 1;
  const withStart = bench.rows.find(({ name }) => name === row)?.withStart ?? false;
  const listeningAt = new Map<number, number>();
  const directory = join(ROOT, 'build', 'profile', row);
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  const [result] = await run(bench, rounds, stageOf(extent, { row, directory, listeningAt }));
  if (result?.failure !== undefined) throw new Error(`${row} could not be measured: ${result.failure}`);
  const profiles = await readProfiles(directory, withStart ? new Map() : listeningAt);
  if (profiles.length === 0) throw new UsageError(`No process in ${row} is the service as npm start runs it.`);
  const summary = formatProfile(summariseProfiles(profiles, ROOT));
  process.stdout.write(`${row}: processes profiled: ${profiles.length}, into ${directory}\n${summary}\n`);
  return 0;
}

process.exitCode = await runCommand(COMMAND, async ({ quick, only = [], rounds, profile, peers: withPeers }) => {
  const usual = quick ? QUICK : FULL;
  const extent = rounds === undefined ? usual : { ...usual, rounds: wholeNumber('rounds', rounds, [1, 100]) };
  if (profile !== undefined) {
    return profileRow(oneOf('profile', profile, NAMES), rounds === undefined ? 1 : extent.rounds, usual);
  }
  const names = new Set(only.map((name) => oneOf('only', name, NAMES)));
  const wanted = BENCHES.filter((bench) => {
    if (bench === peers && withPeers) return true;
    // Code that is not ours runs only where it was asked for.
    return names.size === 0 ? bench !== peers : bench.rows.some(({ name }) => names.has(name));
  });
  const startedAt = performance.now();
  const results = await runAll(wanted, extent.rounds, stageOf(extent));
  const machine = describeMachine();
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const report = { date: new Date().toISOString(), seconds, quick, machine, results };
  await mkdir(join(ROOT, 'build'), { recursive: true });
  await writeFile(join(ROOT, 'build', 'bench.json'), `${JSON.stringify(report, null, 2)}\n`);
  const { cpu, cores, memory: size, system, node } = machine;
  process.stdout.write(
    `${formatTable(results)}\n\n${formatCounts(results)}${cpu}, ${cores} cores, ${size}, ${system}, Node ${node}; ${report.date}\n`,
  );
  return 0;
});

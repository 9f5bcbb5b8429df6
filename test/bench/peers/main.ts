import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runCommand } from '../../../local/command-line.ts';
import { type LoadResult, load } from '../load.ts';
import { type RunningProcess, residentMemory, startProcess } from '../processes.ts';
import { BOOK_PATH, startService, startVenue } from '../services.ts';
import { median } from '../statistics.ts';
import { TOKEN_ID } from '../venue/records.ts';

/**
 * The service beside `pmxt-core`, the most used adapter of its kind. By hand only: it is installed from npm into a
 * temporary directory, with no script of it run at the installation, and gets no key.
 */
const PEER = 'pmxt-core';
const VERSION = '2.41.0';
const ROUNDS = 5;
const SECONDS = 2;

async function install(directory: string): Promise<string> {
  // The newest viem wants a dependency that is not on the registry.
  const manifest = { private: true, dependencies: { [PEER]: VERSION }, overrides: { viem: '2.57.1' } };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await promisify(execFile)('npm', options, { cwd: directory });
  return join(directory, 'node_modules', PEER, 'dist', 'server', 'index.js');
}

function startPeer(script: string, home: string, venueUrl: string): Promise<RunningProcess> {
  const preload = join(import.meta.dirname, 'preload.cjs');
  const env = { BENCH_PEER_SCRIPT: script, BENCH_VENUE_URL: venueUrl, PMXT_ACCESS_TOKEN: 'bench' };
  // It leaves a lock file in the home directory.
  return startProcess({ args: ['--require', preload, script], env: { ...env, HOME: home } });
}

interface Side {
  readonly name: string;
  readonly start: () => Promise<RunningProcess>;
  readonly read: (url: string) => Promise<LoadResult>;
}

/** One round of one side in a fresh process, after a warm-up. */
async function measure({ start, read }: Side) {
  await using running = await start();
  await read(running.url);
  const { rate, p50, errors } = await read(running.url);
  return { start: running.startTime, rate, p50, memory: await residentMemory(running.pid), errors };
}

async function compare(sides: readonly Side[]): Promise<string> {
  const rounds = sides.map(({ name }) => ({ name, results: [] as Awaited<ReturnType<typeof measure>>[] }));
  for (let round = 0; round < ROUNDS; round += 1) {
    process.stderr.write(`Round ${round + 1} of ${ROUNDS} ...\n`);
    for (const [index, side] of sides.entries()) rounds[index]?.results.push(await measure(side));
  }
  const lines = rounds.map(({ name, results }) => {
    const middle = (figure: 'start' | 'rate' | 'p50' | 'memory') => median(results.map((result) => result[figure]));
    const errors = results.reduce((sum, result) => sum + result.errors, 0);
    const cells = [
      name,
      `${middle('start').toFixed(0)} ms`,
      `${middle('rate').toFixed(0)} req/s`,
      `${middle('p50').toFixed(1)} ms`,
      `${middle('memory').toFixed(0)} MB`,
      String(errors),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = '| | start to listening | book, 10 connections, venue at 0 ms | p50 | resident memory | errors |';
  return [head, '| --- | --- | --- | --- | --- | --- |', ...lines].join('\n');
}

const COMMAND = {
  purpose: `Measures the service beside ${PEER} ${VERSION}, which it installs from npm into a temporary directory.`,
  usage: 'npm run bench:peers',
  options: {},
} as const;

process.exitCode = await runCommand(COMMAND, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'bench-peers-'));
  try {
    process.stderr.write(`Installing ${PEER} ${VERSION} ...\n`);
    const script = await install(directory);
    await using venue = await startVenue(0);
    const body = JSON.stringify({ args: [TOKEN_ID] });
    const headers = { 'content-type': 'application/json', 'x-pmxt-access-token': 'bench' };
    const peerPath = '/api/polymarket/fetchOrderBook';
    const table = await compare([
      {
        name: 'this service',
        start: () => startService(venue.url),
        read: (url) => load({ url: url + BOOK_PATH, seconds: SECONDS }),
      },
      {
        name: `${PEER} ${VERSION}, its throttle taken out`,
        start: () => startPeer(script, directory, venue.url),
        read: (url) => load({ url: url + peerPath, method: 'POST', headers, body, seconds: SECONDS }),
      },
    ]);
    process.stdout.write(`${table}\n`);
    return 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

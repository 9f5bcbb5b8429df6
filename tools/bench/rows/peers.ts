import { execFile } from 'node:child_process';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Bench, inTurn } from '../bench.ts';
import { type LoadResult, load } from '../load.ts';
import { type RunningProcess, residentMemory, startProcess } from '../processes.ts';
import { BOOK_PATH, startVenue } from '../services.ts';
import { TOKEN_ID } from '../venue/records.ts';

/**
 * The most used adapter of its kind. On demand only: it is installed from npm into a temporary directory, with no script
 * of it run at the installation, and gets no key.
 */
const PEER = 'pmxt-core';
const VERSION = '2.41.0';
const NAME = `${PEER} ${VERSION}`;
const INSTALL_LIMIT_MS = 300_000;

async function install(directory: string): Promise<string> {
  // The newest viem wants a dependency that is not on the registry.
  const manifest = { private: true, dependencies: { [PEER]: VERSION }, overrides: { viem: '2.57.1' } };
  await writeFile(join(directory, 'package.json'), JSON.stringify(manifest));
  const options = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  await promisify(execFile)('npm', options, { cwd: directory, timeout: INSTALL_LIMIT_MS });
  return join(directory, 'node_modules', PEER, 'dist', 'server', 'index.js');
}

function startPeer(script: string, home: string, venueUrl: string): Promise<RunningProcess> {
  const preload = join(import.meta.dirname, '..', 'baselines', 'peer-preload.cjs');
  const env = { BENCH_PEER_SCRIPT: script, BENCH_VENUE_URL: venueUrl, PMXT_ACCESS_TOKEN: 'bench' };
  // It leaves a lock file in the home directory.
  return startProcess({ args: ['--require', preload, script], env: { ...env, HOME: home } });
}

interface Side {
  readonly start: () => Promise<RunningProcess>;
  readonly read: (url: string) => Promise<LoadResult>;
}

/** One round of one side in a fresh process, after a warm-up. */
async function measure({ start, read }: Side) {
  await using running = await start();
  await read(running.url);
  const { rate, errors } = await read(running.url);
  return {
    'peer-start': running.startTime,
    'peer-rate': rate,
    'peer-memory': await residentMemory(running.pid),
    errors,
  };
}

/** The service beside another adapter to the same venue. */
export const peers: Bench = {
  rows: [
    {
      name: 'peer-start',
      figure: 'start to listening, order-placing',
      baseline: NAME,
      unit: 'ms',
      target: { atMost: 1 },
    },
    {
      name: 'peer-rate',
      figure: 'book, 10 connections, venue at 0 ms',
      baseline: `${NAME}, its throttle taken out`,
      unit: 'req/s',
      target: { atLeast: 1 },
    },
    { name: 'peer-memory', figure: 'resident memory under books', baseline: NAME, unit: 'MB', target: { atMost: 1 } },
  ],
  async *rounds(stage) {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-peers-'));
    process.stderr.write(`Installing ${NAME} ...\n`);
    const script = await install(directory.path);
    await using venue = await startVenue(0);
    const seconds = stage.seconds(2);
    const body = JSON.stringify({ args: [TOKEN_ID] });
    const headers = { 'content-type': 'application/json', 'x-pmxt-access-token': 'bench' };
    const peerPath = '/api/polymarket/fetchOrderBook';
    const ours: Side = {
      start: () => stage.startService(venue.url),
      read: (url) => load({ url: url + BOOK_PATH, seconds }),
    };
    const theirs: Side = {
      start: () => startPeer(script, directory.path, venue.url),
      read: (url) => load({ url: url + peerPath, method: 'POST', headers, body, seconds }),
    };
    for (let round = 0; ; round += 1) {
      const [a, b] = await inTurn(
        round,
        () => measure(ours),
        () => measure(theirs),
      );
      const sample = (figure: 'peer-start' | 'peer-rate' | 'peer-memory') => ({
        value: a[figure],
        baseline: b[figure],
        errors: a.errors + b.errors,
      });
      yield {
        'peer-start': sample('peer-start'),
        'peer-rate': sample('peer-rate'),
        'peer-memory': sample('peer-memory'),
      };
    }
  },
};

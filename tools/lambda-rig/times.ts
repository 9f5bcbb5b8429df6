import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployedFunction } from './assembly.ts';
import { type ClientRequest, route } from './gateway.ts';
import { order } from './requests.ts';
import { startSandbox } from './sandbox.ts';
import type { World } from './world.ts';

interface Times {
  readonly init: number;
  readonly first: number;
  readonly warm: number;
}

/** Starts of each function: the middle one of three is not the one that met a busy machine. */
const STARTS = 3;
const WARM_REQUESTS = 20;

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

async function measureStart(world: World, target: DeployedFunction, request: ClientRequest): Promise<Times> {
  const { event } = route(world.trading, request);
  const sandbox = await startSandbox(target, world.stage, world.variables);
  try {
    const init = await sandbox.initialised;
    const first = await timeOf(() => sandbox.invoke(event));
    const warm = [];
    for (let count = 0; count < WARM_REQUESTS; count += 1) warm.push(await timeOf(() => sandbox.invoke(event)));
    return { init, first, warm: median(warm) };
  } finally {
    sandbox.stop();
  }
}

async function measure(world: World, target: DeployedFunction, request: ClientRequest): Promise<Times> {
  const starts: Times[] = [];
  for (let count = 0; count < STARTS; count += 1) starts.push(await measureStart(world, target, request));
  const middle = (name: keyof Times) => median(starts.map((times) => times[name]));
  return { init: middle('init'), first: middle('first'), warm: middle('warm') };
}

/** Kilobytes of a folder. */
async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  return (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0) / 1000;
}

/** Init, first and warm times in milliseconds beside those of an empty handler, which are the machine's. */
export async function reportTimes(world: World): Promise<string> {
  const get = (path: string) => ({ method: 'GET', path });
  const requests = new Map<string, ClientRequest>([
    ['Health', get('/health')],
    ['Markets', get('/v1/markets?limit=20')],
    ['Book', get(`/v1/book/${world.token}`)],
    ['Orders', order(world.token)],
  ]);
  const rows = [];
  for (const target of [world.empty, ...world.trading.functions.values()]) {
    const { init, first, warm } = await measure(world, target, requests.get(target.name) ?? get('/health'));
    const numbers = [await sizeOf(target.task), init, first, init + first, warm];
    rows.push([target.name.padEnd(8), ...numbers.map((number) => number.toFixed(1).padStart(8))].join(' '));
  }
  const [anyFunction] = [...world.trading.functions.values()].filter(({ layer }) => layer !== undefined);
  const layer = anyFunction?.layer === undefined ? 0 : await sizeOf(anyFunction.layer);
  const head = `${'function'.padEnd(8)} ${['KB', 'init', 'first', 'together', 'warm'].map((name) => name.padStart(8)).join(' ')}`;
  return [head, ...rows, `layer ${layer.toFixed(1)} KB; times in ms`].join('\n');
}

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { FaultOrder } from '../../packages/paper-venue/faults/faults.ts';
import { LEASE_MS } from '../../shared/limits.ts';
import { WALLET_KEY } from '../support/deployment.ts';
import type { DeployedFunction } from './assembly.ts';
import { route } from './gateway.ts';
import { ordersFunctionOf } from './orders-function.ts';
import { order } from './requests.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type Answer, toAnswer } from './ways.ts';
import type { World } from './world.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = ['functions', 'infra', 'shared', 'package.json', 'tsconfig.json'];

/** A name that the next build changes, in the layer and where the function imports it. */
const ENTRY = 'createOrderEntry';
const USES = ['shared/venue/polymarket/order-entry.ts', 'functions/orders/trading.ts'];

const KEYS = 500;
/** Requests under way at the same time, more than there are environments. */
const CLIENTS = 8;
const POST = { method: 'POST', path: '/order', times: 1 } as const;
/** Faults of the venue at every third sending: it takes the order and does not say so, or does not take it. */
const FAULTS: readonly FaultOrder[] = [
  { ...POST, fault: 'reset-after' },
  { ...POST, fault: 'error-500-after' },
  { ...POST, fault: 'rate-limit' },
  { ...POST, fault: 'restart' },
];

/** Builds the sources with one entry of the layer under another name, as a later version may have it. */
async function buildNext(folder: string, current: DeployedFunction): Promise<DeployedFunction> {
  for (const name of SOURCES) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const file of USES) {
    const path = join(folder, file);
    const text = await readFile(path, 'utf8');
    assert.ok(text.includes(ENTRY), `${file} does not use ${ENTRY}`);
    await writeFile(path, text.replaceAll(ENTRY, `${ENTRY}OfNext`));
  }
  await promisify(execFile)(process.execPath, ['infra/build/build.ts'], { cwd: folder });
  return { ...current, task: join(folder, 'build', 'functions', 'orders'), layer: join(folder, 'build', 'layer') };
}

const placed = z.object({ order_id: z.string(), size: z.string() });

/** Long enough for a lease that a busy machine could not give back, which ends by itself. */
const PATIENCE_MS = 2 * LEASE_MS;
/** Before a key that another request holds is asked for again. */
const PAUSE_MS = 100;

/** Asks for the order of a key until it is placed, of both builds in turn. */
async function settle(ask: (turn: number) => Promise<Answer>): Promise<string> {
  const [first, second] = await Promise.all([ask(0), ask(1)]);
  const answers = [first, second];
  const end = performance.now() + PATIENCE_MS;
  while (answers.slice(-2).some(({ status }) => status !== 201)) {
    if (answers.at(-1)?.status === 409) await sleep(PAUSE_MS);
    answers.push(await ask(answers.length));
    assert.ok(performance.now() < end, JSON.stringify(answers.at(-1)));
  }
  for (const { status, body } of answers) {
    assert.ok([201, 409, 429, 503, 504].includes(status), JSON.stringify(body));
  }
  const ids = answers.flatMap(({ status, body }) => (status === 201 ? [placed.parse(body).order_id] : []));
  const [id = ''] = ids;
  assert.deepEqual(
    ids,
    ids.map(() => id),
  );
  return id;
}

/** Places the orders of all keys through environments of both builds; gives the id of each by its size. */
async function placeAll(world: World, environments: readonly (readonly Sandbox[])[]): Promise<Map<string, string>> {
  const told = new Map<string, string>();
  let next = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < KEYS; index = next++) {
      const size = String((10_000 + index) / 100);
      const headers = { 'idempotency-key': `upgrade-${index}` };
      const { event } = route(world.trading, order(world.token, { price: '0.01', size }, headers));
      if (index % 3 === 0) world.venue.arm(FAULTS[(index / 3) % FAULTS.length] ?? []);
      const id = await settle(async (turn) => {
        const build = environments[(index + turn) % environments.length] ?? [];
        return toAnswer(await build[(index >> 1) % build.length]?.invoke(event));
      });
      told.set(size, id);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, work));
  return told;
}

/** While a deployment moves requests to a new version, environments of both are at work on one table. */
export function describeUpgrade(world: World): void {
  describe('an upgrade in the middle', () => {
    const current = ordersFunctionOf(world);
    let folder = '';
    let following = current;
    before(async () => {
      world.secrets.set(WALLET_KEY);
      folder = await mkdtemp(join(tmpdir(), 'rig-upgrade-'));
      following = await buildNext(folder, current);
    });
    after(() => rm(folder, { recursive: true, force: true }));

    it('would end every request where code met the layer of the other build: so versions hold both', async () => {
      const mixed = [
        { ...current, layer: following.layer },
        { ...following, layer: current.layer },
      ];
      for (const target of mixed) {
        const sandbox = await startSandbox(target, world.stage, world.variables);
        try {
          await assert.rejects(sandbox.initialised, /does not provide an export named/);
        } finally {
          sandbox.stop();
        }
      }
    });

    it(`places ${KEYS} keys once each, and says nothing else`, { timeout: 300_000 }, async (test) => {
      const start = (target: DeployedFunction) => startSandbox(target, world.stage, world.variables);
      const environments = [
        [await start(current), await start(current)],
        [await start(following), await start(following)],
      ];
      const earlier = new Set(world.venue.orders().map(({ id }) => id));
      try {
        const told = await placeAll(world, environments);
        await world.calm();
        const journal = world.venue.orders().filter(({ id }) => !earlier.has(id));
        const doubled = journal.length - new Set(journal.map(({ original_size }) => original_size)).size;
        const wrong = journal.filter(
          ({ id, original_size, price }) => told.get(original_size) !== id || price !== '0.01',
        );
        test.diagnostic(`${told.size} keys, ${journal.length} orders, ${doubled} doubled, ${wrong.length} false`);
        assert.deepEqual([told.size, journal.length, doubled, wrong], [KEYS, KEYS, 0, []]);
      } finally {
        for (const sandbox of environments.flat()) sandbox.stop();
      }
    });
  });
}

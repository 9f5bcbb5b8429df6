import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiKeyCreds, Chain, ClobClient } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { clientSigner } from '../support/paper-client.ts';
import { WALLET_KEY } from '../support/synthesize.ts';
import type { DeployedFunction } from './assembly.ts';
import { codeOf } from './equality.ts';
import { route } from './gateway.ts';
import { order } from './requests.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type Answer, toAnswer } from './ways.ts';
import type { World } from './world.ts';

/** Another published key, which does not belong to the pinned address. */
const FOREIGN_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';

interface OrdersFunction {
  readonly sandbox: Sandbox;
  place(headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

export function ordersFunctionOf({ trading }: World): DeployedFunction {
  const target = trading.functions.get('Orders');
  assert.ok(target);
  return target;
}

/** A fresh execution environment of the orders function. */
export async function startOrders(
  world: World,
  variables: Readonly<Record<string, string>> = {},
): Promise<OrdersFunction> {
  const sandbox = await startSandbox(ordersFunctionOf(world), world.stage, { ...world.variables, ...variables });
  return {
    sandbox,
    place: async (headers = {}) => {
      const { event } = route(world.trading, order(world.token, {}, headers));
      return toAnswer(await sandbox.invoke(event));
    },
  };
}

/** Runs `act` on a fresh environment and shows its log when that fails; no log ever shows a secret. */
async function withOrders(
  world: World,
  act: (orders: OrdersFunction) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const orders = await startOrders(world, variables);
  try {
    await act(orders);
    for (const key of [WALLET_KEY, FOREIGN_KEY]) assert.ok(!orders.sandbox.output().includes(key.slice(2)));
  } finally {
    orders.sandbox.stop();
  }
}

interface Rotated {
  /** The secret as JSON. */
  readonly secret: string;
  readonly creds: ApiKeyCreds;
}

/** The venue derives a key's credentials from a nonce: another nonce, other credentials. */
let rotations = 0;

/** Makes new API credentials for the key; the venue forgets the ones before. */
async function rotateCredentials(world: World, before?: Rotated): Promise<Rotated> {
  const base = { host: world.venueUrl, chain: Chain.POLYGON, signer: clientSigner(new Wallet(WALLET_KEY)) };
  if (before) await new ClobClient({ ...base, creds: before.creds }).deleteApiKey();
  rotations += 1;
  const creds = await new ClobClient(base).createOrDeriveApiKey(rotations);
  const { key: apiKey, secret: apiSecret, passphrase: apiPassphrase } = creds;
  return { secret: JSON.stringify({ privateKey: WALLET_KEY, apiKey, apiSecret, apiPassphrase }), creds };
}

function describeLoading(world: World): void {
  const { secrets } = world;
  it('is read once, at init', () =>
    withOrders(world, async ({ sandbox, place }) => {
      secrets.set(WALLET_KEY);
      const before = secrets.reads();
      await sandbox.initialised;
      assert.equal((await place()).status, 201);
      assert.equal((await place()).status, 201);
      assert.equal(secrets.reads() - before, 1);
    }));

  it('is tried again by the next request when it could not be read at init', async () => {
    secrets.set(undefined);
    await withOrders(world, async ({ place }) => {
      const refused = await place();
      assert.deepEqual([refused.status, codeOf(refused)], [503, 'store_unavailable']);
      assert.equal(refused.headers['retry-after'], '5');
      secrets.set(WALLET_KEY);
      assert.equal((await place()).status, 201);
    });
  });

  it('is refused when it belongs to another wallet, loudly, until it is mended', async () => {
    secrets.set(FOREIGN_KEY);
    await withOrders(world, async ({ sandbox, place }) => {
      const refused = await place();
      assert.deepEqual([refused.status, codeOf(refused)], [403, 'order_placement_disabled']);
      assert.match(sandbox.output(), /"level":"error","message":"the key in the secret store does not belong/);
      secrets.set(WALLET_KEY);
      assert.equal((await place()).status, 201);
    });
  });

  it('is not shown when it is malformed', async () => {
    secrets.set(`${WALLET_KEY}0`);
    await withOrders(world, async ({ place }) => {
      assert.equal(codeOf(await place()), 'store_unavailable');
    });
  });
}

function describeRotation(world: World): void {
  const { secrets, venue } = world;
  it('is read again when the venue refuses rotated credentials, and the order is placed', async () => {
    const first = await rotateCredentials(world);
    secrets.set(first.secret);
    await withOrders(world, async ({ sandbox, place }) => {
      assert.equal((await place()).status, 201);
      const second = await rotateCredentials(world, first);
      secrets.set(second.secret);
      const before = secrets.reads();
      assert.equal((await place()).status, 201);
      assert.equal(secrets.reads() - before, 1);
      for (const { creds } of [first, second]) {
        for (const part of [creds.secret, creds.passphrase]) assert.ok(!sandbox.output().includes(part));
      }
    });
  });

  it('is refused when a rotation brings the key of another wallet', async () => {
    const { secret } = await rotateCredentials(world);
    secrets.set(secret);
    await withOrders(world, async ({ place }) => {
      assert.equal((await place()).status, 201);
      secrets.set(secret.replace(WALLET_KEY, FOREIGN_KEY));
      const placed = venue.orders().length;
      venue.arm({ fault: 'unauthorized', method: 'POST', path: '/order', times: 1 });
      assert.deepEqual(codeOf(await place()), 'order_placement_disabled');
      assert.deepEqual(codeOf(await place()), 'order_placement_disabled');
      assert.equal(venue.orders().length, placed);
      secrets.set(secret);
      assert.equal((await place()).status, 201);
    });
  });

  it('is read again after refused credentials that were derived from it', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ place }) => {
      assert.equal((await place()).status, 201);
      venue.arm({ fault: 'unauthorized', path: '/order', times: 9 });
      assert.deepEqual(codeOf(await place()), 'venue_refused_service');
      await world.calm();
      const before = secrets.reads();
      assert.equal((await place()).status, 201);
      assert.equal(secrets.reads() - before, 1);
    });
  });
}

function describeStore(world: World): void {
  const key = { 'idempotency-key': 'rig-store' };
  it('is needed only for requests with an idempotency key', () =>
    withOrders(
      world,
      async ({ place }) => {
        world.secrets.set(WALLET_KEY);
        assert.equal((await place()).status, 201);
        assert.equal(codeOf(await place(key)), 'store_unavailable');
      },
      { SERVICE_ORDERS_TABLE: 'not-there' },
    ));

  it('keeps two environments from placing one order twice', async () => {
    world.secrets.set(WALLET_KEY);
    await withOrders(world, (first) =>
      withOrders(world, async (second) => {
        await Promise.all([first.sandbox.initialised, second.sandbox.initialised]);
        const placed = world.venue.orders().length;
        world.venue.arm({ fault: 'delay', method: 'POST', path: '/order', ms: 1_500 });
        const pending = first.place(key);
        await arrival(world, '/order');
        assert.equal(codeOf(await second.place(key)), 'order_in_progress');
        assert.equal((await pending).status, 201);
        const replay = await second.place(key);
        assert.deepEqual([replay.status, replay.headers['idempotency-replayed']], [201, 'true']);
        assert.equal(world.venue.orders().length, placed + 1);
      }),
    );
  });
}

/** Resolves when the venue has got one more request on a path. */
async function arrival({ venue }: World, path: string): Promise<void> {
  const count = () => venue.requests().filter((request) => request.path === path).length;
  for (const before = count(); count() === before; ) await new Promise((resolve) => setImmediate(resolve));
}

/** What only Lambda has: the secret, and execution environments beside each other. */
export function describeWalletKey(world: World): void {
  describe('the key', () => {
    describeLoading(world);
    describeRotation(world);
  });
  describe('the table', () => describeStore(world));
}

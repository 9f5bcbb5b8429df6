import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiKeyCreds, Chain, ClobClient } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { WALLET_KEY } from '../support/deployment.ts';
import { clientSigner } from '../support/paper-client.ts';
import { codeOf } from './equality.ts';
import { FOREIGN_KEY, withOrders } from './orders-function.ts';
import type { World } from './world.ts';

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

  it('is not given other credentials where the venue refuses those that it still holds, and the log says so', async () => {
    const { secret } = await rotateCredentials(world);
    secrets.set(secret);
    await withOrders(world, async ({ sandbox, place }) => {
      venue.arm({ fault: 'unauthorized', path: '/order', times: 9 });
      const count = () => venue.requests().filter(({ path }) => path.startsWith('/auth/')).length;
      const before = count();
      assert.equal(codeOf(await place()), 'venue_refused_service');
      assert.equal(count(), before);
      assert.match(sandbox.output(), /"message":"the venue refuses the API credentials in the secret"/);
    });
    await world.calm();
  });

  it('is read again before credentials are derived or created, where it has held the key alone', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ place }) => {
      assert.equal((await place()).status, 201);
      const { secret } = await rotateCredentials(world);
      secrets.set(secret);
      const count = () => venue.requests().filter(({ path }) => path.startsWith('/auth/')).length;
      const before = count();
      assert.equal((await place()).status, 201);
      assert.equal(count(), before);
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
      const signed = await place();
      assert.deepEqual(codeOf(signed), 'order_placement_disabled');
      assert.match(JSON.stringify(signed.body), /"order_id":"0x[0-9a-f]{64}"/);
      assert.deepEqual(codeOf(await place()), 'order_placement_disabled');
      assert.equal(venue.orders().length, placed);
      secrets.set(secret);
      assert.equal((await place()).status, 201);
    });
  });

  it('is not said to have kept an order from being sent that the venue has refused', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ place }) => {
      assert.equal((await place()).status, 201);
      secrets.set(undefined);
      venue.arm({ fault: 'unauthorized', method: 'POST', path: '/order', times: 1 });
      const { status, body } = await place();
      assert.equal(status, 503);
      assert.match(
        JSON.stringify(body),
        /so this request placed no order; repeat it later\..*"order_id":"0x[0-9a-f]{64}"/,
      );
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

  it('is asked for credentials once in a while where the venue refuses each, however many orders come', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ place }) => {
      assert.equal((await place()).status, 201);
      const count = () => venue.requests().filter(({ path }) => path.startsWith('/auth/')).length;
      const before = count();
      venue.arm({ fault: 'unauthorized', path: '/order', times: 99 });
      for (let order = 0; order < 5; order += 1) assert.equal(codeOf(await place()), 'venue_refused_service');
      await world.calm();
      // Derived and created side by side, once.
      assert.equal(count() - before, 2);
    });
  });
}

/** Checks what becomes of the secret, which only Lambda has. */
export function describeWalletKey(world: World): void {
  describe('the key', () => {
    describeLoading(world);
    describeRotation(world);
  });
}

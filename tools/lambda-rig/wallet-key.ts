import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiKeyCreds, Chain, ClobClient } from '@polymarket/clob-client-v2';
import { Wallet } from 'ethers';
import { SECRET_NAME, WALLET_ADDRESS, WALLET_KEY } from '../support/deployment.ts';
import { clientSigner } from '../support/paper-client.ts';
import { FOREIGN_KEY, withOrders } from './orders-function.ts';
import type { World } from './world.ts';

/** Alarms count lines of errors, which every level of the log keeps. */
const ONLY_ERRORS = { SERVICE_LOG_LEVEL: 'error' } as const;

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

function describeReading(world: World): void {
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

  it('is read by the next request when it could not be read at init', async () => {
    secrets.set(undefined);
    await withOrders(
      world,
      async ({ place, lines }) => {
        const refused = await place();
        assert.deepEqual([refused.status, refused.code], [503, 'store_unavailable']);
        assert.equal(refused.headers.get('retry-after'), '5');
        const [atInit, atRequest] = lines().filter(({ metric }) => metric === 'unreadable_keys');
        assert.deepEqual([atInit?.['secret'], atInit?.['request_id']], [SECRET_NAME, undefined]);
        assert.deepEqual([atRequest?.['secret'], atRequest?.['request_id']], [SECRET_NAME, 'rig-1']);
        secrets.set(WALLET_KEY);
        assert.equal((await place()).status, 201);
      },
      ONLY_ERRORS,
    );
  });

  it('is refused when it belongs to another wallet, until it is mended', async () => {
    secrets.set(FOREIGN_KEY);
    await withOrders(
      world,
      async ({ place, lines }) => {
        const refused = await place();
        assert.deepEqual([refused.status, refused.code], [403, 'order_placement_disabled']);
        assert.equal(lines().filter(({ metric }) => metric === 'foreign_keys').length, 2);
        secrets.set(WALLET_KEY);
        assert.equal((await place()).status, 201);
      },
      ONLY_ERRORS,
    );
  });

  it('is in no answer and no line when it is malformed', async () => {
    secrets.set(`${WALLET_KEY}0`);
    await withOrders(world, async ({ place }) => assert.equal((await place()).code, 'store_unavailable'));
  });
}

function describeRotation(world: World): void {
  const { secrets, venue } = world;
  const authCalls = () => venue.requests().filter(({ path }) => path.startsWith('/auth/')).length;
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

  it('is read again, but no credentials are derived, where the secret still holds those that the venue refuses', async () => {
    const { secret } = await rotateCredentials(world);
    secrets.set(secret);
    await withOrders(world, async ({ place, lines }) => {
      venue.arm({ fault: 'unauthorized', path: '/order', times: 9 });
      const before = authCalls();
      assert.equal((await place()).code, 'venue_refused_service');
      assert.equal(authCalls(), before);
      assert.ok(lines().some(({ message }) => message === 'API credentials in the secret refused by the venue'));
    });
    await fetch(`${world.venueUrl}/paper/faults`, { method: 'DELETE' });
  });
}

function describeKms(world: World): void {
  const { kms, secrets, venue } = world;
  it('stays in KMS, which signs each order once, and no secret is read', async () => {
    const before = [secrets.reads(), kms.actions.length, venue.orders().length];
    const act: Parameters<typeof withOrders>[1] = async ({ place }) => {
      for (let order = 0; order < 2; order += 1) {
        const { status, body } = await place();
        assert.deepEqual([status, body['wallet_address']], [201, WALLET_ADDRESS]);
      }
    };
    await withOrders(world, act, {}, world.tradingByKms);
    // One signature at the start proves that it signs, and one derives the API credentials.
    assert.deepEqual(kms.actions.slice(before[1]), ['GetPublicKey', 'Sign', 'Sign', 'Sign', 'Sign']);
    assert.deepEqual([secrets.reads(), venue.orders().length], [before[0], Number(before[2]) + 2]);
  });

  it('places no order while the role may not sign, and the log names the permission', async () => {
    const act: Parameters<typeof withOrders>[1] = async ({ place, lines }) => {
      kms.behave({ error: 'AccessDeniedException', errorOf: 'Sign' });
      const placed = venue.orders().length;
      const { status, code } = await place();
      assert.deepEqual([status, code, venue.orders().length], [503, 'store_unavailable', placed]);
      assert.match(JSON.stringify(lines()), /AWS denies kms:Sign on the key of SERVICE_KMS_KEY/);
      kms.behave({});
      assert.equal((await place()).status, 201);
    };
    await withOrders(world, act, {}, world.tradingByKms);
  });
}

/** Checks the use of the secret and of KMS, which only a deployment has. */
export function describeWalletKey(world: World): void {
  describe('the wallet key', () => {
    describeReading(world);
    describeRotation(world);
    describeKms(world);
  });
}

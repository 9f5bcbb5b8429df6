import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, describe, it } from 'node:test';
import { challengeOf } from '../conformance/signing.ts';
import { runConformance } from '../conformance/suite.ts';
import { evmWallet, solanaWallet } from '../support/client-wallets.ts';
import { WALLET_KEY } from '../support/deployment.ts';
import { CALLER, REGION } from '../support/sigv4.ts';
import { CALLER_ARN, DOMAIN, gatewayFetch, toEvent, toResponse } from './gateway.ts';
import { withOrders } from './orders-function.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { describeWalletKey } from './wallet-key.ts';
import { type Deployment, openWorld } from './world.ts';

const world = await openWorld();
const { venue, secrets } = world;
after(() => world[Symbol.asyncDispose]());

/** The contract's times. */
const READ_LIMIT_MS = 10_000;
const ORDER_LIMIT_MS = 25_000;

async function startAll(deployment: Deployment): Promise<ReadonlyMap<string, Sandbox> & Disposable> {
  secrets.set(WALLET_KEY);
  const sandboxes = new Map<string, Sandbox>();
  for (const [name, target] of deployment) sandboxes.set(name, await startSandbox(target, world.variables));
  const dispose = () => {
    for (const sandbox of sandboxes.values()) sandbox[Symbol.dispose]();
  };
  return Object.assign(sandboxes, { [Symbol.dispose]: dispose });
}

describe('the deployed functions', () => {
  for (const mode of ['readOnly', 'trading'] as const) {
    it(`conform to the document: ${mode}`, async () => {
      using sandboxes = await startAll(world[mode]);
      const { results } = await runConformance({
        baseUrl: `https://${DOMAIN}`,
        fetch: gatewayFetch(async (target, event) => sandboxes.get(target)?.invoke(event), sandboxes.has('orders')),
        sign: { region: REGION, credentials: CALLER },
        confirmOrders: async () => true,
      });
      assert.deepEqual(
        results.filter(({ verdict }) => verdict === 'failed'),
        [],
      );
      assert.ok(results.filter(({ verdict }) => verdict === 'passed').length > 15);
      const output = [...sandboxes.values()].map((sandbox) => sandbox.output()).join('');
      assert.match(output, /"message":"request"/);
      assert.ok(!output.toLowerCase().includes(WALLET_KEY.slice(2)));
    });
  }

  it('answer in time when the venue accepts everything and never answers', { timeout: 40_000 }, async () => {
    secrets.set(WALLET_KEY);
    const markets = world.trading.get('markets');
    assert.ok(markets);
    using reader = await startSandbox(markets, world.variables);
    await withOrders(world, async ({ place }) => {
      const hang = { fault: 'hang', times: 999 } as const;
      // The books stay readable: an order gets as far as it can.
      venue.arm(['/markets', '/order', '/data'].map((path) => ({ ...hang, path })));
      const startedAt = performance.now();
      const order = place();
      const list = toResponse(await reader.invoke(toEvent({ method: 'GET', path: '/v1/markets' }, true).event));
      assert.deepEqual([list.status, performance.now() - startedAt < READ_LIMIT_MS], [504, true]);
      assert.deepEqual([(await order).code, performance.now() - startedAt < ORDER_LIMIT_MS], ['outcome_unknown', true]);
    });
    await fetch(`${world.venueUrl}/paper/faults`, { method: 'DELETE' });
  });
});

describe('the function of orders', () => {
  it('refuses an event that names no caller, and places nothing', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ ask }) => {
      const placed = venue.orders().length;
      const answer = await ask({ ...world.order(), callerArn: null });
      assert.deepEqual([answer.status, answer.code], [403, 'caller_not_identified']);
      assert.equal(venue.orders().length, placed);
    });
  });

  it('sends no order that it could not store', async () => {
    secrets.set(WALLET_KEY);
    const act: Parameters<typeof withOrders>[1] = async ({ place }) => {
      const placed = venue.orders().length;
      assert.equal((await place()).code, 'store_unavailable');
      assert.equal((await place({ 'idempotency-key': 'rig-1' })).code, 'store_unavailable');
      assert.equal(venue.orders().length, placed);
    };
    await withOrders(world, act, { SERVICE_ORDERS_TABLE: 'not-there' });
  });

  it('places one order for a key in two environments at once', async () => {
    secrets.set(WALLET_KEY);
    const key = { 'idempotency-key': 'rig-2' };
    await withOrders(world, (first) =>
      withOrders(world, async (second) => {
        const placed = venue.orders().length;
        const answers = await Promise.all([first.place(key), second.place(key)]);
        const statuses = answers.map(({ status }) => status);
        assert.ok(statuses.includes(201) && statuses.every((status) => [201, 409].includes(status)));
        const repeats = [await first.place(key), await second.place(key)];
        for (const { status, headers } of repeats) {
          assert.deepEqual([status, headers.get('idempotency-replayed')], [201, 'true']);
        }
        assert.equal(venue.orders().length, placed + 1);
      }),
    );
  });

  it('verifies clients with either kind of wallet, for the name of the gateway', async () => {
    secrets.set(WALLET_KEY);
    const act: Parameters<typeof withOrders>[1] = async ({ place, lines }) => {
      for (const wallet of [evmWallet('2'), await solanaWallet(0x22)]) {
        const client = { 'x-client-address': wallet.address, 'idempotency-key': randomUUID() };
        const wanted = await place(client);
        const { challenge, expires } = challengeOf({ ...wanted, method: 'POST' });
        assert.ok(challenge.startsWith(`Place one order on ${DOMAIN}\n`));
        const headers = { ...client, 'x-client-signature-expires': expires };
        const [forged, signed] = [await wallet.sign('another text'), await wallet.sign(challenge)];
        assert.equal((await place({ ...headers, 'x-client-signature': forged })).status, 401);
        assert.equal((await place({ ...headers, 'x-client-signature': signed })).status, 201);
        const [line] = lines()
          .filter(({ message }) => message === 'order signed')
          .slice(-1);
        assert.deepEqual([line?.['client_address'], line?.['client_address_verified']], [wallet.address, true]);
      }
    };
    await withOrders(world, act, { SERVICE_CLIENT_VERIFICATION: 'required' });
  });

  it('logs its start, and each order with the ids of its request and its caller', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ place, lines }) => {
      await place();
      const [first, ...others] = lines();
      assert.equal(first?.message, 'started');
      assert.ok(Number(first['init_ms']) > 0);
      for (const message of ['order signed', 'request']) {
        const line = others.find((candidate) => candidate.message === message);
        assert.deepEqual([line?.['request_id'], line?.['gateway_request_id']], ['rig-1', 'JKJaXmPLvHcESHA=']);
        assert.equal(line?.['gateway_caller'], CALLER_ARN);
        assert.match(String(line['lambda_request_id']), /^[\da-f-]{36}$/);
      }
    });
  });
});

describeWalletKey(world);

import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPaperVenue } from '../../packages/paper-venue/venue.ts';
import { runConformance } from '../conformance/conform.ts';
import { WALLET_ADDRESS, WALLET_KEY } from '../support/deployment.ts';
import { CALLER, REGION } from '../support/sigv4.ts';
import { CALLER_ARN, DOMAIN, gatewayFetch, toEvent, toResponse } from './gateway.ts';
import { linesOf, withOrders } from './orders-function.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { openWorld } from './world.ts';

const world = await openWorld();
const { venue, secrets } = world;
after(() => world[Symbol.asyncDispose]());

/** The contract's times. */
const READ_LIMIT_MS = 10_000;
const ORDER_LIMIT_MS = 25_000;

async function keepContract(mode: 'readOnly' | 'trading', variables: Readonly<Record<string, string>>): Promise<void> {
  secrets.set(WALLET_KEY);
  using stack = new DisposableStack();
  const sandboxes = new Map<string, Sandbox>();
  for (const [name, target] of world[mode])
    sandboxes.set(name, stack.use(await startSandbox(target, { ...world.variables, ...variables })));
  const invoke = async (target: string, event: object) => {
    const result = await sandboxes.get(target)?.invoke(event);
    // The log comes by a pipe of its own.
    await sleep(5);
    return result;
  };
  const { results } = await runConformance({
    baseUrl: `https://${DOMAIN}`,
    fetch: gatewayFetch(invoke, sandboxes.has('orders')),
    sign: { region: REGION, credentials: CALLER },
    confirmOrders: async () => true,
    control: { venue, venueUrl: world.venueUrl, lines: () => [...sandboxes.values()].flatMap(linesOf) },
  });
  await fetch(`${world.venueUrl}/paper/faults`, { method: 'DELETE' });
  assert.deepEqual(
    results.filter(({ verdict }) => verdict === 'failed'),
    [],
  );
  assert.ok(results.filter(({ verdict }) => verdict === 'passed').length > 15);
  const output = [...sandboxes.values()].map((sandbox) => sandbox.output()).join('');
  assert.match(output, /"message":"request"/);
  assert.ok(!output.toLowerCase().includes(WALLET_KEY.slice(2)));
}

/** The order at a silent venue takes 21 s of waits, in which the contract is checked at another one. */
describe('the deployed functions', { concurrency: 2 }, () => {
  describe('keep the contract', { concurrency: 1 }, () => {
    for (const [mode, variables] of [
      ['readOnly', {}],
      ['trading', {}],
      ['trading', { SERVICE_CLIENT_VERIFICATION: 'required' }],
    ] as const) {
      it(`${mode} ${JSON.stringify(variables)}`, { timeout: 180_000 }, () => keepContract(mode, variables));
    }
  });

  it('answer in time when the venue accepts everything and never answers', { timeout: 40_000 }, async () => {
    secrets.set(WALLET_KEY);
    const markets = world.trading.get('markets');
    assert.ok(markets);
    const silent = createPaperVenue({ still: true });
    const { url } = await silent.listen({ host: '127.0.0.1', port: 0 });
    const variables = { ...world.variables, SERVICE_GAMMA_URL: url, SERVICE_CLOB_URL: url };
    using reader = await startSandbox(markets, variables);
    await withOrders({ ...world, variables }, async ({ place }) => {
      const hang = { fault: 'hang', times: 999 } as const;
      // The books stay readable: an order gets as far as it can.
      silent.arm(['/markets', '/order', '/data'].map((path) => ({ ...hang, path })));
      const startedAt = performance.now();
      const order = place();
      const list = toResponse(await reader.invoke(toEvent({ method: 'GET', path: '/v1/markets' }, true).event));
      assert.deepEqual([list.status, performance.now() - startedAt < READ_LIMIT_MS], [504, true]);
      assert.deepEqual([(await order).code, performance.now() - startedAt < ORDER_LIMIT_MS], ['outcome_unknown', true]);
    });
    await silent.close();
  });
});

describe('the function of orders', () => {
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

  it('signs by a key in KMS, and reads no secret', async () => {
    const reads = secrets.reads();
    const act: Parameters<typeof withOrders>[1] = async ({ place }) => {
      const { status, body } = await place();
      assert.deepEqual([status, body['wallet_address']], [201, WALLET_ADDRESS]);
    };
    await withOrders(world, act, world.tradingByKms);
    // One signature at the start proves that it signs, one derives the API credentials, and one is the order's.
    assert.deepEqual([world.kms.actions, secrets.reads()], [['GetPublicKey', 'Sign', 'Sign', 'Sign'], reads]);
  });
});

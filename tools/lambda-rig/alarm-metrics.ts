import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { SECRET_NAME, WALLET_KEY } from '../support/deployment.ts';
import { codeOf } from './equality.ts';
import { CALLER_ARN } from './gateway.ts';
import { FOREIGN_KEY, withOrders } from './orders-function.ts';
import type { Sandbox } from './sandbox.ts';
import type { World } from './world.ts';

const line = z.looseObject({ message: z.string(), metric: z.string().optional(), code: z.string().optional() });
type Line = z.output<typeof line>;

function linesOf(sandbox: Sandbox): readonly Line[] {
  const texts = sandbox.output().split('\n');
  return texts.filter((text) => text.startsWith('{"time"')).map((text) => line.parse(JSON.parse(text)));
}

/** Alarms must hear of it though the operator keeps only errors. */
const FEW_LINES = { SERVICE_LOG_LEVEL: 'error' } as const;

/** Checks the lines that metric filters count for alarms. */
export function describeAlarmMetrics(world: World): void {
  const { secrets, venue } = world;
  const counting = (sandbox: Sandbox, name: string) => linesOf(sandbox).filter(({ metric }) => metric === name);

  describe('what alarms wait for is counted at every level of the log', () => {
    it('a key that cannot be read, at init too, and the order that failed for it', async () => {
      secrets.set(undefined);
      await withOrders(
        world,
        async ({ sandbox, place }) => {
          assert.equal(codeOf(await place()), 'store_unavailable');
          const [atInit, atRequest] = counting(sandbox, 'unreadable_keys');
          assert.deepEqual([atInit?.['secret'], atInit?.['request_id']], [SECRET_NAME, undefined]);
          assert.deepEqual([atRequest?.['secret'], atRequest?.['request_id']], [SECRET_NAME, 'rig-1']);
          assert.equal(atRequest?.['gateway_request_id'], 'JKJaXmPLvHcESHA=');
          assert.equal(linesOf(sandbox).filter(({ code }) => code === 'store_unavailable').length, 1);
          assert.equal(counting(sandbox, 'foreign_keys').length, 0);
        },
        FEW_LINES,
      );
    });

    it('the key of another wallet', async () => {
      secrets.set(FOREIGN_KEY);
      await withOrders(
        world,
        async ({ sandbox, place }) => {
          assert.equal(codeOf(await place()), 'order_placement_disabled');
          assert.equal(counting(sandbox, 'foreign_keys').length, 2);
        },
        FEW_LINES,
      );
    });

    it('an order above the daily cap', async () => {
      secrets.set(WALLET_KEY);
      await withOrders(
        world,
        async ({ sandbox, place }) => {
          assert.equal((await place()).status, 422);
          assert.equal(counting(sandbox, 'daily_cap_warnings').length, 1);
        },
        { ...FEW_LINES, SERVICE_MAX_DAILY_NOTIONAL: '3.9' },
      );
    });
  });

  it('an environment says first how long its start took', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ sandbox, place }) => {
      await place();
      const [first] = linesOf(sandbox);
      assert.equal(first?.['message'], 'started');
      assert.ok(Number(first['init_ms']) > 0);
    });
  });

  it('an order and its refused API credentials are logged with the ids of their request, and who sent it', async () => {
    secrets.set(WALLET_KEY);
    await withOrders(world, async ({ sandbox, place }) => {
      venue.arm({ fault: 'unauthorized', method: 'POST', path: '/order' });
      await place();
      const refused = linesOf(sandbox).find(({ message }) => message === 'the venue refused the API credentials');
      const lambdaId = refused?.['lambda_request_id'];
      assert.deepEqual([refused?.['request_id'], refused?.['gateway_request_id']], ['rig-1', 'JKJaXmPLvHcESHA=']);
      assert.match(String(lambdaId), /^[\da-f-]{36}$/);
      for (const message of ['order signed', 'the venue refused the API credentials', 'request']) {
        const found = linesOf(sandbox).find((candidate) => candidate.message === message);
        assert.deepEqual([found?.['gateway_caller'], found?.['lambda_request_id']], [CALLER_ARN, lambdaId]);
      }
    });
  });
}

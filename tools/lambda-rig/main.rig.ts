import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { WALLET_KEY } from '../support/deployment.ts';
import { describeAlarmMetrics } from './alarm-metrics.ts';
import { describeConformance } from './conformance.ts';
import { describeDeadlines } from './deadlines.ts';
import { describeEquality } from './equality.ts';
import { describeOrdersTable } from './orders-table.ts';
import { LISTED_ORIGIN } from './requests.ts';
import { reportTimes } from './times.ts';
import { describeUpgrade } from './upgrade.ts';
import { describeVerifiedClients } from './verified-clients.ts';
import { describeWalletKey } from './wallet-key.ts';
import { openDeployment, openLocal } from './ways.ts';
import { CAP, openWorld } from './world.ts';

const world = await openWorld();
world.secrets.set(WALLET_KEY);
const upstream = { SERVICE_GAMMA_URL: world.venueUrl, SERVICE_CLOB_URL: world.venueUrl };
const settings = { ...upstream, SERVICE_CORS_ORIGINS: LISTED_ORIGIN };
const orders = { SERVICE_PLACE_ORDER: '1', SERVICE_PRIVATE_KEY: WALLET_KEY, SERVICE_MAX_ORDER_NOTIONAL: CAP };
const pairs = {
  readOnly: {
    local: await openLocal(settings),
    lambda: await openDeployment({ ...world, assembly: world.readOnly }),
  },
  trading: {
    local: await openLocal({ ...settings, ...orders }),
    lambda: await openDeployment({ ...world, assembly: world.trading }),
  },
};

describeEquality(world, pairs);
describeConformance({
  'read-only': { way: pairs.readOnly.lambda, assembly: world.readOnly },
  'order-placing': { way: pairs.trading.lambda, assembly: world.trading },
});
describeWalletKey(world);
describeOrdersTable(world);
describeVerifiedClients(world);
describeAlarmMetrics(world);
describeUpgrade(world);
describeDeadlines(world, pairs.trading);

it('writes no secret', () => {
  const output = [...pairs.trading.lambda.sandboxes.values()].map((sandbox) => sandbox.output()).join('');
  assert.match(output, /"message":"request"/);
  assert.ok(!output.toLowerCase().includes(WALLET_KEY.slice(2)));
});

it('prints how long each function takes to start and to answer', async (test) => {
  world.secrets.set(WALLET_KEY);
  test.diagnostic(`\n${await reportTimes(world)}`);
});

after(async () => {
  const ways = Object.values(pairs).flatMap(({ local, lambda }) => [local, lambda]);
  await Promise.all(ways.map((way) => way.close()));
  await world.close();
});

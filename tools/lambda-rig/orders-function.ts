import assert from 'node:assert/strict';
import { WALLET_KEY } from '../support/deployment.ts';
import type { DeployedFunction } from './assembly.ts';
import { route } from './gateway.ts';
import { order } from './requests.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import { type Answer, toAnswer } from './ways.ts';
import type { World } from './world.ts';

/** Another published key, which does not belong to the pinned address. */
export const FOREIGN_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';

interface OrdersFunction {
  readonly sandbox: Sandbox;
  place(headers?: Readonly<Record<string, string>>): Promise<Answer>;
}

/** Returns the function of orders. */
export function ordersFunctionOf({ trading }: World): DeployedFunction {
  const target = trading.functions.get('Orders');
  assert.ok(target);
  return target;
}

/** A fresh execution environment of the orders function. */
async function startOrders(world: World, variables: Readonly<Record<string, string>> = {}): Promise<OrdersFunction> {
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
export async function withOrders(
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

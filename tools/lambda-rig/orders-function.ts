import assert from 'node:assert/strict';
import { z } from 'zod';
import { WALLET_KEY } from '../support/deployment.ts';
import { type ClientRequest, toEvent, toResponse } from './gateway.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import type { World } from './world.ts';

/** An answer, with its body parsed. */
interface Answer {
  readonly status: number;
  /** The code of a problem. */
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An execution environment of the function of orders. */
export interface OrdersFunction {
  place(): Promise<Answer>;
  /** Returns the lines of its log so far. */
  lines(): readonly z.output<typeof line>[];
}

const bodyShape = z.looseObject({ code: z.string().optional() });
const line = z.looseObject({ message: z.string(), metric: z.string().optional() });

async function askFunction(sandbox: Sandbox, request: ClientRequest): Promise<Answer> {
  const response = toResponse(await sandbox.invoke(toEvent(request, true).event));
  const body = bodyShape.parse(await response.json());
  return { status: response.status, code: body.code, body };
}

/** Returns the lines of the log of a function so far. */
export function linesOf(sandbox: Sandbox): readonly z.output<typeof line>[] {
  const texts = sandbox.output().split('\n');
  return texts.filter((text) => text.startsWith('{"time"')).map((text) => line.parse(JSON.parse(text)));
}

/** Runs `act` on a fresh environment of the function of orders. Its key is not in its log. */
export async function withOrders(
  world: World,
  act: (orders: OrdersFunction) => Promise<void>,
  deployment = world.trading,
): Promise<void> {
  const target = deployment.get('orders');
  assert.ok(target);
  using sandbox = await startSandbox(target, world.variables);
  await act({
    place: () => askFunction(sandbox, world.order()),
    lines: () => linesOf(sandbox),
  });
  assert.ok(!sandbox.output().toLowerCase().includes(WALLET_KEY.slice(2)));
}

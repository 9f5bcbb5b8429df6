import assert from 'node:assert/strict';
import { z } from 'zod';
import { WALLET_KEY } from '../support/deployment.ts';
import { type ClientRequest, toEvent, toResponse } from './gateway.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';
import type { World } from './world.ts';

/** Another published key, which does not belong to the pinned address. */
export const FOREIGN_KEY = '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a';

/** An answer, with its body parsed. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The code of a problem. */
  readonly code: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An execution environment of the function of orders. */
export interface OrdersFunction {
  readonly sandbox: Sandbox;
  ask(request: ClientRequest): Promise<Answer>;
  place(headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Returns the lines of its log so far. */
  lines(): readonly z.output<typeof line>[];
}

const bodyShape = z.looseObject({ code: z.string().optional() });
const line = z.looseObject({ message: z.string(), metric: z.string().optional() });

async function askFunction(sandbox: Sandbox, request: ClientRequest): Promise<Answer> {
  const response = toResponse(await sandbox.invoke(toEvent(request, true).event));
  const body = bodyShape.parse(await response.json());
  return { status: response.status, headers: response.headers, code: body.code, body };
}

/** Returns the lines of the log of a function so far. */
export function linesOf(sandbox: Sandbox): readonly z.output<typeof line>[] {
  const texts = sandbox.output().split('\n');
  return texts.filter((text) => text.startsWith('{"time"')).map((text) => line.parse(JSON.parse(text)));
}

/** Runs `act` on a fresh environment of the function of orders. No key is in its log. */
export async function withOrders(
  world: World,
  act: (orders: OrdersFunction) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
  deployment = world.trading,
): Promise<void> {
  const target = deployment.get('orders');
  assert.ok(target);
  using sandbox = await startSandbox(target, { ...world.variables, ...variables });
  const ask = (request: ClientRequest) => askFunction(sandbox, request);
  await act({
    sandbox,
    ask,
    place: (headers) => ask(world.order(headers)),
    lines: () => linesOf(sandbox),
  });
  for (const key of [WALLET_KEY, FOREIGN_KEY]) assert.ok(!sandbox.output().toLowerCase().includes(key.slice(2)));
}

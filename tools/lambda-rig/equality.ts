import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { disabledRows, orderRows } from './order-requests.ts';
import { readRows } from './read-requests.ts';
import type { Row } from './requests.ts';
import { venueRows } from './venue-requests.ts';
import type { Answer, Way } from './ways.ts';
import type { World } from './world.ts';

/** The two ways to the same service. */
export interface Pair {
  readonly local: Way;
  readonly lambda: Way;
}

/** An order is signed with a salt of its own: its id, and what the venue makes of it, differ from one to the next. */
function withoutIds({ status, headers, body }: Answer): Answer {
  const text = JSON.stringify(body ?? null)
    .replace(/0x[0-9a-f]{64}/g, '0xHASH')
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID');
  return { status, headers, body: JSON.parse(text) };
}

/** Returns the code of a problem. */
export function codeOf({ body }: Answer): string | undefined {
  return z.object({ code: z.string() }).safeParse(body).data?.code;
}

const problem = z.looseObject({ detail: z.string() });

async function check({ local, lambda }: Pair, row: Row, world: World): Promise<void> {
  const answers = [];
  for (const way of [local, lambda]) {
    world.venue.arm([...(row.faults ?? [])]);
    answers.push(await way.send(row.request));
    await world.calm();
  }
  const [fromLocal, fromLambda] = answers;
  assert.ok(fromLocal && fromLambda);
  assert.deepEqual({ status: fromLambda.status, code: codeOf(fromLambda) }, { status: row.status, code: row.code });
  const { deployedDetail } = row;
  if (deployedDetail === undefined) return assert.deepEqual(withoutIds(fromLambda), withoutIds(fromLocal));
  assert.deepEqual(problem.parse(fromLambda.body).detail, deployedDetail);
  const rest = (answer: Answer) => ({ ...answer, body: { ...problem.parse(answer.body), detail: null } });
  assert.deepEqual(rest(fromLambda), rest(fromLocal));
}

/** Every row in both ways, without orders and with them. */
export function describeEquality(world: World, pairs: { readonly readOnly: Pair; readonly trading: Pair }): void {
  const { token } = world;
  const groups = [
    ['read-only', pairs.readOnly, [...readRows(token), ...disabledRows(token)]],
    ['order-placing', pairs.trading, [...readRows(token), ...orderRows(token), ...venueRows(token)]],
  ] as const;
  for (const [mode, pair, rows] of groups) {
    describe(`a ${mode} deployment answers as the local service does`, () => {
      for (const row of rows) it(row.name, () => check(pair, row, world));
    });
  }
}

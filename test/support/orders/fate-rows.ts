import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { OrderClient } from '../../../shared/orders/record.ts';
import { FULL_EXTENT } from '../jest.ts';
import type { HttpReply, Reply } from '../venue/scripted-venue.ts';
import { bookAnswer } from '../venue/venue-answers.ts';
import { type End, expected, type Step } from './fate-steps.ts';
import type { Answers } from './trading-world.ts';

// All times of the service are these: pauses pass at once, and nothing else takes time.
const time = { wall: 1_790_000_000_000, uptime: 100_000 };
/** Lets time pass; `wall`: by the wall clock alone. */
export function pass(milliseconds: number, clock?: 'wall'): void {
  time.wall += milliseconds;
  if (clock !== 'wall') time.uptime += milliseconds;
}
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) => {
    pass(milliseconds);
    return new Promise((resolve) => setImmediate(resolve));
  },
}));
const { STORES, play } = await import('./fate-world.ts');
const { accepted, lookedUp } = await import('./trading-world.ts');

/** Writes an answer of the venue. */
export type Answer = NonNullable<Answers['post']>;
/** A clause, and the requests under one key that show it. */
export type Row = readonly [sentence: string, ...steps: Step[]];

export const answers = (reply: Reply) => (): Reply => reply;
export const says = (error: string, status = 400) => answers({ status, body: { error } });
export const LOST: Answer = () => 'reset';
export const SHOWN: Answer = (id) => lookedUp(id, 'LIVE');
export const MATCHED: Answer = (id) => accepted(id, { status: 'matched' });
/** A book with other members. */
export const book =
  (changes: Readonly<Record<string, unknown>>): Answer =>
  (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? '', changes) });
export const FAILED: HttpReply = { status: 500, body: { error: 'x' } };
export const BROKEN: Answer = () => FAILED;

export const CROSSES = 'invalid post-only order: order crosses book';
export const BALANCE = 'not enough balance / allowance';
export const WALLET_TYPE = 'maker address not allowed, please use the deposit wallet flow';
export const DAY_MS = 86_400_000;
export const CONTRADICTED = 'placed order contradicts its record [contradicted_records]';

export const live = (sent: string) => ({ ends: 'live', sent, kept: 'placed' }) as const;
export const replayed = (sent: string) => ({ ...live(sent), ends: 'live replayed' }) as const;
export const unknown = (sent: string, wait?: number) =>
  ({ ends: `outcome_unknown${wait ? ` ${wait}` : ''}`, sent, kept: 'open' }) as const;
const CROSSED = `post_only_would_cross "${CROSSES}"`;
/** The venue refuses the order, and a repeat gets the same. */
export const crosses = (sent: string) => ({ post: says(CROSSES), ends: CROSSED, sent, kept: 'refused' }) as const;
export const crossedBefore = (sent: string) => ({ ...crosses(sent), ends: `${CROSSED} replayed` }) as const;
/** The venue does not have the balance for the order, and says so. */
export const refused = (sent: string): Step => ({
  ...{ post: says(BALANCE), ends: 'insufficient_balance', sent, kept: 'refused' },
});
/** The venue restarts, and takes nothing. */
export const busy = (sent: string) =>
  ({ post: answers({ status: 425 }), ends: 'venue_unavailable 5', sent, kept: 'open' }) as const;
/** A sentence about the operator frees the key. */
export const freed = (sent: string) =>
  ({ post: says(WALLET_TYPE), ends: 'venue_refused_service wallet_type', sent, kept: 'free' }) as const;
/** Bytes left, and no answer came: five seconds of look-ups later nothing is known. */
export const lost = (sent: string) => ({ post: LOST, ...unknown(sent) }) as const;
/** The answer is held back: the next step runs meanwhile. */
export const begun = (sent: string) => ({ held: 'begins', ends: 'begun', sent, kept: 'open' }) as const;
/** The answer that was held back comes. */
export const arrives = (end: End) => ({ held: 'arrives', ...end }) as const;

export const verified = (address: string): OrderClient => ({ address, isVerified: true });
export const claimed = (address: string): OrderClient => ({ address, isVerified: false });

/** Plays the rows of each section over real stores: both where claims and sums are at stake, and else in full extent. */
export function describeRows(
  sections: Readonly<Record<string, readonly Row[]>>,
  stores: readonly (keyof typeof STORES)[] = FULL_EXTENT ? ['a file', 'a table'] : ['a file'],
): void {
  describe.each(stores.map((name) => [name, STORES[name]] as const))('over %s', (_name, open) => {
    let opened: Awaited<ReturnType<typeof open>>;
    beforeAll(async () => {
      opened = await open();
      jest.spyOn(Date, 'now').mockImplementation(() => Math.floor(time.wall));
      jest.spyOn(performance, 'now').mockImplementation(() => time.uptime);
    });
    afterAll(async () => {
      jest.restoreAllMocks();
      await opened.close();
    });

    describe.each(Object.entries(sections))('%s', (_section, rows) => {
      it.each(rows.map(([sentence, ...steps]) => [sentence, steps] as const))('%s', async (_sentence, steps) => {
        const { found, faults } = await play(opened.handles, steps, pass);
        expect(found).toStrictEqual(expected(steps));
        expect(faults).toStrictEqual([]);
      });
    });
  });
}

import { KEEP_MS, LATE_ARRIVAL_MS, LEASE_MS } from '../../shared/limits.ts';
import type { OrderStore } from '../../shared/orders/order-store.ts';
import { type OrderRecord, versionOf } from '../../shared/orders/record.ts';
import {
  answers,
  arrives,
  BROKEN,
  begun,
  book,
  busy,
  CONTRADICTED,
  claimed,
  crossedBefore,
  crosses,
  DAY_MS,
  describeRows,
  freed,
  live,
  lost,
  MATCHED,
  type Row,
  refused,
  replayed,
  SHOWN,
  says,
  unknown,
  verified,
  WALLET_TYPE,
} from '../support/orders/fate-rows.ts';
import type { End, Step } from '../support/orders/fate-steps.ts';
import { finishedOrder, PLACED, unfinishedOrder } from '../support/orders/order-records.ts';
import { v1TokenId } from '../support/venue/venue-answers.ts';

// What a key keeps, requests that meet under one, and the cap of a day.

const NOT_STORED = 'final answer not stored [lease_faults]';
const NOT_RELEASED = 'lease not released [lease_faults] down';
const IN_PROGRESS = { ends: 'order_in_progress 30', sent: 'A', kept: 'open' } as const;
const AT_ONCE = { ends: 'order_in_progress 1', sent: 'A', kept: 'open' } as const;
const NOTHING_SENT = { ends: 'store_unavailable 5', sent: '', kept: 'free' } as const;
const reused = (sentence: string) =>
  ({ ends: 'idempotency_key_reused', sent: 'A', kept: 'placed', says: sentence }) as const;

const OTHER_ACCOUNT = { venue: 'https://other.example', chainId: 137, maker: '0x5afe', signatureType: 'safe' } as const;

const ONE_ORDER: readonly Row[] = [
  [
    'the same request places one order however often it is sent, also across restarts, with these calls of the store',
    { ...live('A'), calls: ['read', 'create', 'replace'], audits: ['order signed'], counted: [0] },
    { ...replayed('A'), calls: ['read'] },
    { restarts: {}, ...replayed('A') },
  ],
  [
    'whatever fails in between, a repeat sends the same signed bytes',
    busy('A'),
    { restarts: {}, ...lost('AA'), audits: ['unfinished order taken over'] },
    { after: 1_000, ...live('AAA') },
  ],
  ['a repeat may only look the order up', lost('A'), { order: SHOWN, ...live('A'), looks: [1, 0] }, replayed('A')],
  [
    '201 is final, whatever the venue or the market would say now',
    { post: MATCHED, ends: 'matched', sent: 'A', kept: 'placed' },
    { book: BROKEN, post: says('x'), ends: 'matched replayed', sent: 'A', kept: 'placed' },
  ],
  ['a 422 by which the venue refused the order is final', { ...crosses('A'), looks: [0, 0] }, crossedBefore('A')],
  [
    'what failed before the order was signed leaves the key free',
    { book: book({ tick_size: '0.1' }), asks: { price: '0.55' }, ends: 'price_off_tick', sent: '', kept: 'free' },
    { asks: { price: '0.6', tokenId: v1TokenId(2) }, ...live('A') },
  ],
  [
    '502 keeps the order for the repeat',
    { post: answers({ status: 401, body: {} }), sent: 'A', kept: 'open', ends: 'venue_refused_service credentials' },
    { after: 5_000, ...live('AA') },
  ],
  [
    'venue_refused_service by a sentence of the venue frees it: the repeat signs anew, also for another account',
    freed('A'),
    {
      restarts: { signedFor: OTHER_ACCOUNT },
      ...{ client: verified('0xa'), asks: { price: '0.51' }, ...live('AB') },
    },
  ],
  [
    'but not where a sending is left in doubt',
    lost('A'),
    { after: LATE_ARRIVAL_MS, ...freed('AA'), kept: 'open' },
    live('AAA'),
  ],
  [
    'while another request holds the key it is 409, for 30 s by the own count',
    begun('A'),
    IN_PROGRESS,
    { after: LEASE_MS - 1, ...AT_ONCE },
    { after: 1, ...live('AA') },
    arrives(replayed('AA')),
  ],
  [
    'the same key with another order is reused, in every member',
    live('A'),
    ...[
      { price: '0.51' },
      { size: '10.01' },
      { tokenId: v1TokenId(2) },
      { postOnly: false },
      { expiresAt: 1_900_000_000_000 },
      { side: 'sell' } as const,
    ].map((asks) => ({ asks, ...reused('another order') })),
  ],
  [
    'from another verified client or service it is, and whose key it is goes before what it names',
    { client: verified('0xa'), ...live('A') },
    { client: verified('0xA'), asks: { price: '0.51' }, ...reused('another client') },
    { client: claimed('0xa'), ...reused('client verification of the service changed') },
    { client: null, asks: { price: '0.51' }, ...reused('client verification of the service changed') },
    { restarts: { walletAddress: '0x1' }, client: verified('0xa'), ...reused('wallet') },
    { restarts: { signedFor: OTHER_ACCOUNT }, client: verified('0xa'), ...reused('account') },
  ],
  [
    'when verification was switched since it is; claims are labels',
    { client: claimed('0xa'), ...live('A') },
    { client: claimed('0xb'), ...replayed('A') },
    { client: verified('0xa'), ...reused('client verification of the service changed') },
  ],
  [
    'every order leaves a record, without a key one that nobody can send',
    { key: null, ...live('A'), calls: ['create', 'replace'] },
    { key: null, ...lost('AB'), kept: 'open unsigned', says: 'Look the order id up' },
    { key: null, ...busy('ABC'), kept: 'not_taken' },
  ],
  [
    'a store that does not work is 503, and nothing is sent',
    { failing: 'read', ...NOTHING_SENT, cause: 'down' },
    { failing: 'create', ...NOTHING_SENT, says: 'nothing was sent' },
    lost('A'),
    { failing: 'replace', order: SHOWN, ...NOTHING_SENT, sent: 'A', kept: 'open', looks: [0, 0] },
  ],
  [
    'an answer that cannot be stored: a placement is told',
    { failing: 'replace', ...live('A'), kept: 'open', logs: [`${NOT_STORED} down`] },
    { after: LEASE_MS, order: SHOWN, ...live('A') },
  ],
  [
    'an answer that cannot be stored: a refusal is not',
    {
      ...{
        failing: 'replace',
        post: says('invalid expiration'),
        ...unknown('A'),
        cause: 'The venue refused the order; venue_reason says why.',
      },
      ...{ logs: [`${NOT_STORED} down`], says: 'but the order store is unavailable' },
    },
    { after: LEASE_MS, order: SHOWN, ...live('A') },
  ],
  ...[[busy('A'), 30] as const, [lost('A'), 25] as const].map(
    ([end, wait]): Row => [
      `an answer that cannot be stored: ${end.ends} is told, and a repeat waits for the lease`,
      { failing: 'replace', ...end, logs: [NOT_RELEASED] },
      { ...IN_PROGRESS, ends: `order_in_progress ${wait}` },
    ],
  ),
  [
    'a fault of ours leaves the order in doubt',
    {
      ...unknown(''),
      restarts: {
        submit: async () => {
          throw new TypeError('ours');
        },
      },
      ...{ cause: 'ours', says: 'The order may be live' },
    },
    { restarts: {}, after: 1_000, ...refused('A'), ...unknown('A', 119) },
  ],
  [
    'signed bytes are kept until they can no longer be taken: 24 h after the last use the order is only looked up',
    lost('A'),
    { after: DAY_MS - 5_001, ...lost('AA') },
    { after: DAY_MS - 5_000, ...unknown('AA'), kept: 'open unsigned' },
    { order: SHOWN, ...live('AA') },
  ],
  [
    'finished records are kept 400 days, and longer where they are used on the last of them',
    live('A'),
    { after: KEEP_MS - DAY_MS + 1, ...replayed('A'), calls: ['read', 'replace'] },
    { after: 1, ...replayed('A'), calls: ['read'] },
    {
      after: KEEP_MS - 2,
      failing: 'replace',
      ...replayed('A'),
      logs: ['retention of the final answer not extended down'],
    },
  ],
];

/** Answers to one of several equal requests, and what a repeat gets. */
const EQUAL: readonly (readonly [string, Step, Step])[] = [
  ['rests', live('A'), replayed('A')],
  ['is refused', crosses('A'), crossedBefore('A')],
  ['has a lost answer', lost('A'), live('AA')],
];

/** What another request does between the claim and the write of this one, and what this one gets. */
const MEANWHILE: readonly (readonly [what: string, other: Step, own: End])[] = [
  ['has placed the order', live('A'), replayed('A')],
  ['has been refused', crosses('A'), crossedBefore('A')],
  ['is sending the order', begun('A'), IN_PROGRESS],
];

/** Another request has taken over by then, and what an earlier one sent has arrived. */
const OVER = LEASE_MS + LATE_ARRIVAL_MS;

async function replaceBy(store: OrderStore, key: string, record: OrderRecord | undefined): Promise<void> {
  const standing = await store.read(key);
  await store.write(key, record, { version: standing ? versionOf(standing) : '' });
}

const RACES: readonly Row[] = [
  ...[2, 5].flatMap((atOnce) =>
    EQUAL.map(
      ([what, end, again]): Row => [
        `${atOnce} equal requests in one turn of two processes reach the venue once: the order ${what}`,
        { atOnce, ...end, restarts: { cap: atOnce === 2 ? '100' : '' } },
        again,
      ],
    ),
  ),
  ...MEANWHILE.flatMap(([what, other, own]): Row[] => [
    [`a new key, and another request ${what} first`, { meanwhile: { before: 'create', ...other }, ...own }],
    [
      `an order that was not taken, and another request ${what} first`,
      busy('A'),
      { meanwhile: { before: 'replace', ...other, sent: 'AA' }, ...own, sent: 'AA' },
    ],
  ]),
  [
    'a new key, and another request has given its lease back: the order of the other one is settled',
    { meanwhile: { before: 'create', ...lost('A') }, ...live('AA') },
  ],
  [
    'a new key that two clients use at once is of the first to write, and one order counts',
    {
      ...{ restarts: { cap: '100' }, client: verified('0xa'), counted: [5] },
      meanwhile: { before: 'create', client: claimed('0xa'), ...live('A') },
      ...reused('client verification'),
    },
  ],
  [
    'an order whose holder frees the key while it is taken over is left to the next request, and counts no more',
    { restarts: { cap: '100' }, ...begun('A'), post: says(WALLET_TYPE), counted: [5] },
    {
      ...{ after: LEASE_MS, meanwhile: { before: 'replace', ...arrives(freed('A')) } },
      ...{ ...AT_ONCE, kept: 'free', counted: [0] },
    },
  ],
  [
    'a late placement is that of the other request where both have one',
    begun('A'),
    { after: OVER, post: MATCHED, ...live('AA'), ends: 'matched' },
    arrives({ ...replayed('AA'), ends: 'matched replayed' }),
  ],
  [
    'a late placement is stored where the other request does not know',
    begun('A'),
    { after: OVER, ...lost('AA') },
    arrives(live('AA')),
    replayed('AA'),
  ],
  ...[crosses('A'), busy('A')].flatMap(({ post, ends }): Row[] => {
    const first = { ...begun('A'), post };
    return [
      [
        `a late ${ends} after another request has placed the order`,
        first,
        { after: OVER, ...live('AA') },
        arrives(replayed('AA')),
      ],
      [
        `a late ${ends} while another request may still place the order`,
        first,
        { after: LEASE_MS, ...begun('AA') },
        arrives({ ...IN_PROGRESS, sent: 'AA' }),
      ],
      [
        `a late ${ends} after another request has given its lease back`,
        first,
        { after: OVER, ...lost('AA') },
        arrives({ ...AT_ONCE, sent: 'AA' }),
      ],
    ];
  }),
  [
    'a late "not taken" that cannot be stored is not told once its lease is over',
    { ...busy('A'), ...begun('A') },
    { after: OVER, ...live('AA') },
    { failing: 'replace', ...arrives({ ...AT_ONCE, sent: 'AA', kept: 'placed', logs: [NOT_RELEASED] }) },
  ],
  [
    'a late "not taken" whose key has another order is told to come back at once',
    { ...busy('A'), ...begun('A') },
    {
      tamper: (store, key) => replaceBy(store, key, finishedOrder(PLACED)),
      ...arrives({ ...AT_ONCE, kept: 'placed' }),
    },
  ],
  [
    'a late placement whose key is free is told, with an alarm',
    begun('A'),
    {
      tamper: (store, key) => replaceBy(store, key, undefined),
      ...arrives({ ...live('A'), kept: 'free', logs: [NOT_STORED] }),
    },
  ],
  [
    'a late placement whose key has another order is told, with an alarm',
    begun('A'),
    {
      tamper: (store, key) => replaceBy(store, key, unfinishedOrder('other')),
      ...arrives({ ...live('A'), kept: 'open' }),
      logs: ['placed order superseded: its idempotency key now belongs to another order [contradicted_records] 0xa1'],
    },
  ],
  [
    'a late placement whose refusal changes meanwhile is told, with an alarm',
    begun('A'),
    { after: OVER, ...crosses('AA') },
    {
      meanwhile: { before: 'replace', nth: 2, after: KEEP_MS, ...crossedBefore('AA') },
      ...arrives({ ...live('AA'), kept: 'refused' }),
      logs: [`${CONTRADICTED} post_only_would_cross`, NOT_STORED],
    },
  ],
  [
    'a clock that ran far ahead when a lease was written: others wait 30 s of their own count at most',
    { clockSet: 7_200_000, restarts: {}, ...begun('A') },
    { clockSet: -7_200_000, restarts: {}, ...IN_PROGRESS },
    { after: LEASE_MS - 1, ...AT_ONCE },
    { after: 1, ...live('AA') },
  ],
  [
    'a clock that was set back: the latest time counts at which bytes may have left',
    lost('A'),
    { clockSet: -40_000, restarts: {}, ...begun('AA') },
    { after: LATE_ARRIVAL_MS + 34_500, ...refused('AAA'), ...unknown('AAA', 1) },
  ],
];

const CAP = { restarts: { cap: '12' } } as const;

/** A service that takes purchases of 12 a day; each order is worth 5. */
const CAPS: readonly Row[] = [
  [
    'above it nothing is sent, and a smaller order has the rest of the day; a sale neither counts nor is refused',
    { ...CAP, key: null, ...live('A') },
    { key: null, ...live('AB'), counted: [10] },
    {
      ...{ ends: 'daily_cap_reached', sent: 'AB', kept: 'free', audits: ['daily cap reached'] },
      logs: ['daily cap reached [daily_cap_warnings]'],
    },
    { key: null, asks: { side: 'sell' }, ...live('ABC') },
    { key: null, asks: { side: 'sell' }, ...refused('ABCD') },
    { asks: { price: '0.2' }, ...live('ABCDE'), counted: [12] },
  ],
  [
    'that is of each client counts as well, for a client whose address is proved',
    { restarts: { clientCap: '5' }, key: null, client: verified('0xa'), ...live('A') },
    {
      ...{ key: null, client: verified('0xa'), ends: 'daily_cap_reached', sent: 'A', kept: 'free', counted: [5] },
      logs: ['daily cap reached [daily_cap_warnings]'],
    },
    { key: null, client: verified('0xb'), ...live('AB'), counted: [10] },
  ],
  [
    'counted once, on the day of the signature, however often it is sent',
    { ...CAP, ...busy('A'), counted: [5] },
    { after: DAY_MS / 2, ...busy('AA'), counted: [5] },
    { after: DAY_MS / 2, restarts: {}, ...live('AAA'), counted: [5, 0] },
  ],
  [
    'given back once on the day of the signature, though it is settled on the next; not where it may be live',
    { after: DAY_MS / 2, ...CAP, ...lost('A'), counted: [5] },
    { after: DAY_MS / 2, ...crosses('AA'), counted: [0, 0] },
    { ...crossedBefore('AA'), counted: [0, 0] },
  ],
  [
    'of an order without a key: given back unless it may be live, since nobody can repeat it',
    { ...CAP, key: null, ...lost('A'), kept: 'open unsigned', counted: [5] },
    { key: null, ...busy('AB'), kept: 'not_taken', counted: [5] },
  ],
  [
    'counted anew when the order is signed anew, and again where it was given back and is there all the same',
    { ...CAP, ...freed('A'), counted: [0] },
    { after: DAY_MS, ...begun('AB'), counted: [0, 5] },
    { after: OVER, ...crosses('ABB'), counted: [0, 0] },
    { counted: [0, 5], ...arrives({ ...live('ABB'), logs: [`${CONTRADICTED} post_only_would_cross`] }) },
  ],
];

describeRows(
  {
    'exactly one order for a key': ONE_ORDER,
    'requests that meet under a key': RACES,
    'a cap on the day': CAPS,
  },
  ['a file', 'a table'],
);

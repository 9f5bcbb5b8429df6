import { toDecimal } from '../../shared/decimal.ts';
import {
  ACCOUNT,
  CONFIRMED,
  DAY,
  entry,
  FAILED,
  fill,
  found,
  HOUR,
  idOf,
  type Looks,
  MINUTE,
  order,
  type Row,
  record,
  TOKEN,
  taken,
  textOf,
  timeOf,
} from '../support/operator/looks.ts';

// What became of an order: what the venue shows at each look, and the events that must follow.

type How = Partial<Omit<Looks, 'clause' | 'rows'>>;

function looks(clause: string, rows: readonly Row[], how: How = {}): Looks {
  return { clause, rows, proves: [], ...how };
}

const RESTS = { open: [order('A', 10)] };
const GONE = { open: [] };
const [OTHER, OLD] = [{ conditionId: idOf('other') }, { createdAt: timeOf(-HOUR) }];
const CANCELED = { ...GONE, found: found('canceled', 'A', 10) };
const MATCHED = { ...GONE, found: found('matched', 'A', 10, 10) };
const T1 = fill('t1', 3, 'A', 10);
const T1_TAKEN = taken('t1', 3, 'A', 4);
const FILLED = 'A filled by t1: 10, now 10+0';
/** Its one maker has three of its four shares. */
const SHORT = taken('t1', 3, 'A', 4, { price: toDecimal('0.6'), makers: [entry('another', 3, { owner: 'another' })] });
const PARTLY = 'A filled by t1: 4, now 4+6';
const CLOSED = 'A closed: cancelled, 0+10';

const CLIENT = { client_address: 'client of A', client_address_verified: true, caller: null };
const OF_A = {
  order_id: idOf('A'),
  ...CLIENT,
  token_id: TOKEN,
  question: 'Will it rain?',
  outcome: 'Yes',
  side: 'buy',
};
const FOUR = { ...OF_A, filled_size: '4', remaining_size: '6' };
const IN_T1 = { ...FOUR, trade_id: 't1', price: '0.5', size: '4', value: '2', fee: '0.04' };
const NO_ORDER = {
  ...{ order_id: null, client_address: null, client_address_verified: null, caller: null, token_id: null, side: null },
  ...{ question: null, outcome: null, filled_size: null, remaining_size: null },
  ...{ price: null, size: null, value: null, fee: null },
};

const EVENTS: readonly Looks[] = [
  looks(
    'the event of a trade has the whole state of its order',
    [
      { at: 0, ...RESTS, records: record('A', 0), says: [], asks: [] },
      {
        at: 5,
        trades: [T1_TAKEN],
        says: [PARTLY],
        whole: { timestamp: textOf(3), data: { ...IN_T1, revision: timeOf(5), status: 'matched' } },
      },
    ],
    { proves: ['order.filled'] },
  ),
  looks(
    'the settlement of a trade has the time of its last update',
    [
      { at: 5, ...RESTS, records: record('A', 0), trades: [T1_TAKEN], says: [PARTLY] },
      {
        at: 10,
        trades: [{ ...T1_TAKEN, ...CONFIRMED, changedAt: timeOf(8) }],
        says: ['A settled in t1, now 4+6'],
        whole: { timestamp: textOf(8), data: { ...IN_T1, revision: timeOf(10), status: 'confirmed' } },
      },
      { at: 15, says: [] },
    ],
    { proves: ['order.settled'] },
  ),
  looks(
    'a failed settlement takes its trade out of the order',
    [
      { at: 5, ...RESTS, records: record('A', 0), trades: [T1_TAKEN], says: [PARTLY] },
      {
        at: 10,
        trades: [{ ...T1_TAKEN, ...FAILED }],
        says: ['A failed in t1, now 0+10'],
        whole: {
          timestamp: textOf(3),
          data: { ...IN_T1, filled_size: '0', remaining_size: '10', revision: timeOf(10), status: 'failed' },
        },
      },
      { at: 15, trades: [{ ...T1_TAKEN, ...FAILED }, fill('t2', 12, 'A', 1)], says: ['A filled by t2: 1, now 1+9'] },
      { at: 20, ...CANCELED, says: [] },
      { at: 40, says: ['A closed: cancelled, 1+9'], data: [{ value: '0.5', fee: '0' }] },
    ],
    { proves: ['order.settlement_failed'] },
  ),
  looks(
    'the end of an order has its own price and size, and the sums of its fills',
    [
      { at: 5, ...RESTS, records: record('A', 0), trades: [T1_TAKEN], says: [PARTLY] },
      { at: 10, ...GONE, found: found('canceled', 'A', 10, 4), says: [], asks: [] },
      {
        at: 30,
        says: ['A closed: cancelled, 4+6'],
        whole: {
          timestamp: textOf(10),
          data: { ...IN_T1, trade_id: null, size: '10', revision: timeOf(30), status: 'canceled', reason: 'cancelled' },
        },
        asks: ['order A'],
      },
      { at: 90, says: [], asks: [] },
    ],
    { proves: ['order.closed'] },
  ),
  looks(
    'a row that cannot be read is reported once, and what it says once it can be read',
    [
      {
        at: 0,
        ...RESTS,
        unreadable: ['t1'],
        says: ['unreadable t1: unreadable'],
        whole: {
          timestamp: textOf(0),
          data: { ...NO_ORDER, revision: timeOf(0), trade_id: 't1', status: 'unreadable' },
        },
      },
      { at: MINUTE, since: -10 * MINUTE, says: [] },
      { at: HOUR, trades: [fill('t2', HOUR, 'A', 1)], says: ['A filled by t2: 1, now 1+9'] },
      {
        at: HOUR + MINUTE,
        trades: [T1, fill('t2', HOUR, 'A', 1)],
        unreadable: [],
        since: -10 * MINUTE,
        says: ['A filled by t1: 10, now 11+0'],
      },
      { at: HOUR + 2 * MINUTE, unreadable: ['t1'], says: ['unreadable t1: unreadable'] },
    ],
    { proves: ['order.unreadable'] },
  ),
];

const TRADES: readonly Looks[] = [
  looks('events of one look have the state at its end, and are sorted by time', [
    {
      at: 5,
      ...RESTS,
      trades: [fill('t2', 4, 'A', 6), fill('t1', 3, 'A', 5)],
      says: ['A filled by t1: 5, now 11+0', 'A filled by t2: 6, now 11+0'],
      times: [3, 4],
    },
  ]),
  looks('a trade can have two of our orders', [
    {
      at: 5,
      open: [order('A', 10), order('B', 10, { side: 'sell', outcome: null })],
      trades: [taken('t1', 3, 'A', 4, { makers: [entry('B', 4)] })],
      says: [PARTLY, 'B filled by t1: 4, now 4+6'],
      data: [
        { side: 'buy', fee: '0.04' },
        { side: 'sell', fee: '0', outcome: 'Yes' },
      ],
    },
  ]),
  looks('two entries of one order in a trade are one fill', [
    {
      at: 5,
      ...RESTS,
      trades: [fill('t1', 3, 'A', 5, { makers: [entry('A', 2), entry('A', 3)] })],
      says: ['A filled by t1: 5, now 5+5'],
    },
    { at: 10, says: [] },
  ]),
  looks('a failed settlement removes the reported fill, whatever its row says then', [
    { at: 5, ...RESTS, trades: [fill('t1', 3, 'A', 4)], says: [PARTLY] },
    {
      at: 10,
      trades: [fill('t1', 3, 'A', 5, FAILED)],
      says: ['A failed in t1, now 0+10'],
      data: [{ size: '4', value: '2', price: '0.5' }],
    },
  ]),
  looks('a settlement that failed and then succeeded counts again', [
    {
      at: 5,
      ...RESTS,
      trades: [{ ...T1, ...FAILED }],
      says: ['A filled by t1: 10, now 0+10', 'A failed in t1, now 0+10'],
      data: [{ fee: '0' }, { fee: '0' }],
    },
    { at: 10, trades: [{ ...T1, ...CONFIRMED }], says: ['A settled in t1, now 10+0'] },
    { at: 15, trades: [{ ...T1, status: 'retrying' }], says: [] },
  ]),
  looks(
    'a fill before the start is not reported, and its settlement afterwards is',
    [
      { at: 15, ...RESTS, trades: [T1, fill('t2', 4, 'A', 1, CONFIRMED)], says: [] },
      {
        at: 20,
        trades: [{ ...T1, ...CONFIRMED }, fill('t2', 4, 'A', 1, CONFIRMED)],
        says: ['A settled in t1, now 11+0'],
      },
    ],
    { start: 10 },
  ),
  looks('the sums of a resting order count each fill from before the start once', [
    {
      at: 5,
      open: [order('A', 10, OLD), order('B', 10)],
      trades: [fill('t0', -HOUR + 1, 'A', 4, CONFIRMED)],
      since: -HOUR - 10 * MINUTE,
      says: [],
    },
    {
      at: MINUTE,
      trades: [fill('t1', 6, 'A', 4, CONFIRMED)],
      since: -10 * MINUTE,
      says: ['A filled by t1: 4, now 8+2', 'A settled in t1, now 8+2'],
    },
    {
      at: HOUR,
      trades: [fill('t2', HOUR, 'A', 1, CONFIRMED)],
      says: ['A filled by t2: 1, now 9+1', 'A settled in t2, now 9+1'],
    },
    // An order that the list did not show before.
    {
      at: 2 * HOUR,
      open: [order('A', 10, OLD), order('B', 10), order('C', 10, OLD)],
      trades: [
        fill('t0', -HOUR + 1, 'A', 4, { ...CONFIRMED, makers: [entry('A', 4), entry('C', 4)] }),
        fill('t1', 6, 'A', 4, CONFIRMED),
        fill('t3', 7, 'D', 4),
        fill('t4', 8, 'E', 4, { makers: [entry('E', 4, { owner: 'another' })] }),
        fill('t5', 2 * HOUR, 'C', 1, CONFIRMED),
      ],
      since: -HOUR - 10 * MINUTE,
      says: ['C filled by t5: 1, now 5+5', 'C settled in t5, now 5+5'],
    },
    { at: 2 * HOUR + 5, trades: [fill('t6', 2 * HOUR, 'A', 1)], says: ['A filled by t6: 1, now 10+0'] },
  ]),
  looks('a trade may show ten minutes after a later one', [
    { at: 0, ...RESTS, says: [] },
    { at: 9 * MINUTE, trades: [fill('t2', 9 * MINUTE, 'A', 1)], says: ['A filled by t2: 1, now 1+9'] },
    {
      at: 10 * MINUTE,
      trades: [fill('t1', 3, 'A', 4), fill('t2', 9 * MINUTE, 'A', 1)],
      says: ['A filled by t1: 4, now 5+5'],
    },
  ]),
  looks('the window of trades is read whole once a minute, and its last minute in between', [
    { at: 0, ...RESTS, since: -10 * MINUTE, says: [] },
    { at: 5, trades: [fill('t1', 3, 'A', 4)], since: -MINUTE, says: [PARTLY] },
    { at: 54, since: 3 - MINUTE, says: [] },
    { at: 55, since: 3 - 10 * MINUTE, says: [] },
    { at: 60, open: [order('A', 10), order('B', 10, { createdAt: timeOf(58) })], since: 3 - MINUTE, says: [] },
    // The clock was set back.
    { at: -HOUR, since: 3 - 10 * MINUTE, says: [] },
  ]),
  looks('a trade is followed until it is settled, a week at most', [
    {
      at: 5,
      ...RESTS,
      trades: [T1, fill('t2', 4, 'A', 1)],
      says: [FILLED, 'A filled by t2: 1, now 11+0'].with(0, 'A filled by t1: 10, now 11+0'),
    },
    {
      at: 3 * DAY,
      trades: [T1, fill('t2', 4, 'A', 1), fill('t3', 3 * DAY, 'A', 1)],
      since: 3 - 10 * MINUTE,
      says: ['A filled by t3: 1, now 12+0'],
    },
    {
      at: 3 * DAY + MINUTE,
      trades: [{ ...T1, ...CONFIRMED }, fill('t2', 4, 'A', 1), fill('t3', 3 * DAY, 'A', 1, CONFIRMED)],
      since: 3 - 10 * MINUTE,
      says: ['A settled in t1, now 12+0', 'A settled in t3, now 12+0'],
    },
    {
      at: 8 * DAY,
      trades: [fill('t4', 8 * DAY, 'A', 1, CONFIRMED)],
      since: 4 - 10 * MINUTE,
      says: ['A filled by t4: 1, now 13+0', 'A settled in t4, now 13+0'],
      keeps: { parts: 2 },
    },
    { at: 8 * DAY + MINUTE, since: 8 * DAY - 10 * MINUTE, says: [], keeps: { parts: 1 } },
  ]),
  looks('an unreadable row is remembered while only the end of the window is read', [
    { at: 0, unreadable: ['t1'], says: ['unreadable t1: unreadable'] },
    { at: 5, unreadable: [], says: [] },
    { at: MINUTE, unreadable: ['t1'], says: [] },
  ]),
  looks('an unreadable row is kept in the window for a week at most', [
    { at: 0, ...RESTS, unreadable: ['t1'], says: ['unreadable t1: unreadable'] },
    { at: 8 * DAY, trades: [fill('t2', 8 * DAY, 'A', 1)], since: -10 * MINUTE, says: ['A filled by t2: 1, now 1+9'] },
    { at: 8 * DAY + MINUTE, since: DAY, says: [] },
  ]),
  looks('a row with a future time does not move the window', [
    { at: 5, ...RESTS, trades: [fill('t9', 100 * 365 * DAY, 'A', 1)], says: ['A filled by t9: 1, now 1+9'] },
    { at: 10, records: record('Z', 100 * 365 * DAY), since: 5 - MINUTE, says: [] },
    {
      at: 15,
      open: [],
      found: { A: order('A', 10) },
      records: record('B', 12),
      trades: [taken('t2', 12, 'B', 1)],
      says: ['B filled by t2: 1, now 1+9'],
      asks: [],
    },
    { at: 20, records: record('C', 18), says: [] },
    { at: 40, found: found('canceled', 'C', 10), says: ['C closed: cancelled, 0+10'] },
  ]),
  looks('a follower that has lost its state reports the same facts under the same ids', [
    { at: 5, ...RESTS, trades: [{ ...T1, ...CONFIRMED }], says: [FILLED, 'A settled in t1, now 10+0'] },
    { at: 10, ...MATCHED, unreadable: ['t2'], says: ['unreadable t2: unreadable'] },
    { at: 30, says: ['A closed: filled, 10+0'] },
    {
      at: 35,
      begins: 0,
      records: record('A', 0),
      says: [FILLED, 'A settled in t1, now 10+0', 'unreadable t2: unreadable'],
    },
    { at: 55, says: ['A closed: filled, 10+0'] },
  ]),
];

const FEES: readonly Looks[] = [
  looks('unreadable fees delay only the trades of their market, for at most five minutes', [
    {
      at: 5,
      open: [order('A', 10), order('B', 10, OTHER)],
      trades: [T1, fill('t2', 4, 'B', 4, OTHER)],
      noFees: [OTHER.conditionId],
      // So that its fees are read again.
      question: null,
      says: [FILLED],
      asks: ['records of A,B', 'market', 'market other'],
    },
    { at: 10, noFees: [], says: ['B filled by t2: 4, now 4+6'], data: [{ fee: '0' }], asks: ['market other'] },
    { at: 15, trades: [fill('t3', 12, 'B', 1, OTHER)], noFees: [OTHER.conditionId], says: [], asks: ['market other'] },
    { at: 12 + 5 * MINUTE, says: ['B filled by t3: 1, now 5+5'], data: [{ fee: null }] },
    { at: 6 * MINUTE, ...GONE, found: { ...found('canceled', 'B', 10, 5), A: null }, says: [] },
    { at: 7 * MINUTE, says: ['B closed: cancelled, 5+5'], data: [{ value: '2.5', fee: null }] },
  ]),
  looks('a settlement does not wait for fees, but the first trade of an order does', [
    {
      at: 5,
      open: [order('A', 10, OTHER), order('B', 10, OTHER)],
      trades: [fill('t1', 3, 'A', 4, OTHER), fill('t2', 4, 'A', 1, OTHER)],
      // So that its fees are read again.
      question: null,
      says: ['A filled by t1: 4, now 5+5', 'A filled by t2: 1, now 5+5'],
    },
    {
      at: 10,
      trades: [
        fill('t1', 3, 'A', 4, { ...OTHER, ...CONFIRMED, makers: [entry('A', 4), entry('B', 4)] }),
        fill('t2', 4, 'A', 1, { ...OTHER, ...CONFIRMED }),
      ],
      noFees: [OTHER.conditionId],
      says: ['A settled in t2, now 5+5'],
    },
    {
      at: 15,
      noFees: [],
      says: ['A settled in t1, now 5+5', 'B filled by t1: 4, now 4+6', 'B settled in t1, now 4+6'],
      data: [{}, { fee: '0' }, {}],
    },
  ]),
  looks('a trade that waits for its fees stays in the window until it is reported', [
    { at: 0, open: [order('A', 10), order('B', 10, OTHER)], says: [] },
    {
      at: 60,
      trades: [fill('t1', 50, 'B', 4, OTHER), fill('t2', 59, 'A', 4)],
      noFees: [OTHER.conditionId],
      says: ['A filled by t2: 4, now 4+6'],
    },
    { at: 9 * MINUTE, noFees: [], says: ['B filled by t1: 4, now 4+6'] },
  ]),
  looks('an order is not closed while a trade of it waits for its fees', [
    { at: 0, open: [order('B', 10, OTHER)], says: [] },
    { at: 5, ...GONE, says: [] },
    { at: 100, trades: [fill('t1', 95, 'B', 10, OTHER)], noFees: [OTHER.conditionId], says: [] },
    { at: 150, says: [] },
    { at: 155, noFees: [], says: ['B filled by t1: 10, now 10+0'] },
    { at: 274, says: [] },
    { at: 295, says: ['B closed: filled, 10+0'] },
  ]),
  looks('a market that states no fees, or has no name, delays nothing', [
    {
      at: 5,
      ...RESTS,
      trades: [T1_TAKEN],
      fees: null,
      question: null,
      says: [PARTLY],
      data: [{ fee: null, question: null }],
    },
    { at: 10, trades: [T1_TAKEN], says: [], asks: [] },
  ]),
];

const UNEVEN: readonly Looks[] = [
  looks('a taker whose makers do not add up to its trade yet is reported once they do', [
    {
      at: 5,
      ...RESTS,
      trades: [SHORT, taken('t2', 3, 'A', 1)],
      says: ['A filled by t2: 1, now 1+9'],
      data: [{ price: '0.5' }],
    },
    { at: 10, ...GONE, found: found('canceled', 'A', 10, 5), says: [] },
    { at: 2 * MINUTE, says: [] },
    {
      at: 4 * MINUTE,
      trades: [taken('t1', 3, 'A', 4)],
      says: ['A filled by t1: 4, now 5+5'],
      data: [{ price: '0.5', value: '2', fee: '0.04' }],
    },
    { at: 5 * MINUTE, says: ['A closed: cancelled, 5+5'], data: [{ value: '2.5', fee: '0.05' }] },
  ]),
  looks('and after five minutes with its value at the limit price, and without a price and a fee', [
    { at: 5, ...RESTS, trades: [SHORT], says: [] },
    { at: 2 + 5 * MINUTE, says: [] },
    { at: 3 + 5 * MINUTE, says: [PARTLY], data: [{ price: null, value: '2.4', fee: null }] },
    {
      at: 4 + 5 * MINUTE,
      trades: [{ ...SHORT, ...CONFIRMED }],
      says: ['A settled in t1, now 4+6'],
      data: [{ price: null }],
    },
  ]),
];

const CLIENTS: readonly Looks[] = [
  looks('the record of an order is asked for by its id, however old it is, once', [
    { at: 5, open: [order('A', 10)], records: record('A', -365 * DAY), says: [], asks: ['records of A'] },
    { at: 10, trades: [taken('t1', 8, 'A', 4)], says: [PARTLY], data: [CLIENT], asks: ['market'] },
    {
      at: 15,
      records: { ...record('A', -365 * DAY), ...record('B', -365 * DAY) },
      trades: [taken('t1', 8, 'A', 4), taken('t2', 12, 'B', 4), taken('t3', 13, 'C', 4)],
      says: ['B filled by t2: 4, now 4+6', 'C filled by t3: 4, now 4+null'],
      data: [{ client_address: 'client of B' }, { client_address: null }],
      asks: ['records of B,C'],
    },
    { at: 20, says: [], asks: [] },
  ]),
  looks(
    'an order that rests since a year has the client of its record, and the sums of a year',
    [
      {
        at: 0,
        open: [order('A', 10, { createdAt: timeOf(-365 * DAY) })],
        records: record('A', -365 * DAY - 2),
        trades: [fill('t0', -200 * DAY, 'A', 4, CONFIRMED)],
        since: -365 * DAY - 10 * MINUTE,
        says: [],
        asks: ['records of A', 'market'],
      },
      { at: 60, trades: [fill('t1', 50, 'A', 1)], says: ['A filled by t1: 1, now 5+5'], data: [CLIENT], asks: [] },
      { at: 65, ...GONE, found: found('canceled', 'A', 10, 5), says: [] },
      { at: 85, says: ['A closed: cancelled, 5+5'], data: [CLIENT] },
    ],
    { start: -10 },
  ),
  looks(
    'a record that shows late names the client of its order from then on',
    [
      { at: 5, ...RESTS, says: [], asks: ['records of A'] },
      { at: 10, records: record('A', 0), trades: [T1_TAKEN], says: [PARTLY], data: [CLIENT], asks: ['market'] },
    ],
    { lag: 5 },
  ),
  looks(
    'a young trade waits for its record where that shows late',
    [
      { at: 5, trades: [T1_TAKEN], says: [] },
      { at: 8, records: record('A', 0), says: [PARTLY], data: [CLIENT] },
      { at: 10, trades: [taken('t2', 1_000, 'A', 4)], says: ['A filled by t2: 4, now 8+2'] },
    ],
    { lag: 5 },
  ),
  looks('a record may show ten minutes after a younger one', [
    { at: 9 * MINUTE, records: record('B', 9 * MINUTE), says: [] },
    { at: 10 * MINUTE, records: record('A', 0), says: [], keeps: { orders: ['B', 'A'] } },
  ]),
  looks('an order has no client until its record shows', [
    {
      at: 5,
      trades: [T1_TAKEN],
      says: ['A filled by t1: 4, now 4+null'],
      data: [{ client_address: null, token_id: TOKEN, side: 'buy', outcome: 'Yes' }],
    },
    {
      at: 10,
      records: record('A', 0),
      trades: [T1_TAKEN, taken('t2', 8, 'A', 1)],
      says: ['A filled by t2: 1, now 5+5'],
      data: [CLIENT],
    },
    { at: 15, records: {}, trades: [taken('t3', 12, 'A', 1)], says: ['A filled by t3: 1, now 6+4'], data: [CLIENT] },
  ]),
  looks('an order is recognised by its account, its API key, or a record of another account', [
    {
      at: 5,
      records: record('C', -HOUR),
      trades: [
        fill('t1', 1, 'A', 4, { makers: [entry('A', 4, { owner: 'old key', maker: ACCOUNT })] }),
        fill('t2', 2, 'B', 4),
        fill('t3', 3, 'C', 4, { makers: [entry('C', 4, { owner: 'old key' })] }),
        fill('t4', 4, 'D', 4, { makers: [entry('D', 4, { owner: 'another' })] }),
      ],
      says: [
        'A filled by t1: 4, now 4+null',
        'B filled by t2: 4, now 4+null',
        'C filled by t3: 4, now 4+6',
        'unreadable t4: without an order of this account',
      ],
    },
    { at: 10, says: [], asks: [] },
  ]),
  looks('an order of another account is recognised by an older record alone', [
    {
      at: 5,
      records: record('C', -HOUR),
      trades: [fill('t1', 3, 'C', 4, { makers: [entry('C', 4, { owner: 'old key' })] })],
      says: ['C filled by t1: 4, now 4+6'],
    },
  ]),
  looks('a trade before the start is not reported, even if it is unreadable, and its order is not followed', [
    {
      at: 5,
      trades: [
        fill('t1', -1, 'D', 4, { makers: [entry('D', 4, { owner: 'another' })] }),
        fill('t2', -1, 'A', 4, { status: 'odd' }),
        fill('t3', -1, 'A', 4),
        fill('t4', 0, 'A', 4, { status: 'odd' }),
      ],
      says: ['unreadable t4: odd'],
      keeps: { orders: [] },
    },
  ]),
  looks('a trade in an unknown state is reported as such, and as a fill once its state is known', [
    { at: 5, ...RESTS, trades: [{ ...T1, status: 'unheard_of' }], says: ['unreadable t1: unheard_of'] },
    { at: 10, trades: [{ ...T1, status: 'mined' }], says: [FILLED] },
  ]),
  looks('an open order without an id is never looked up', [
    {
      at: 0,
      open: [order('A', 10, { id: 'row 1, without id' })],
      says: ['unreadable null: an open order without an id'],
      whole: {
        timestamp: textOf(0),
        data: { ...NO_ORDER, revision: timeOf(0), trade_id: null, status: 'an open order without an id' },
      },
    },
    { at: 5, says: [] },
    { at: HOUR, ...GONE, says: [], asks: [], keeps: { orders: [] } },
  ]),
];

const ENDS: readonly Looks[] = [
  looks('an order is closed only once its fills are reported', [
    { at: 0, ...RESTS, says: [] },
    { at: 5, ...MATCHED, says: [] },
    { at: 30, says: [], asks: ['order A'] },
    { at: 35, trades: [T1], says: [FILLED], asks: ['market'] },
    { at: 54, says: [], asks: [] },
    { at: 55, says: ['A closed: filled, 10+0'], times: [5] },
  ]),
  looks('an order is closed after an hour, even if its fills do not add up', [
    { at: 0, ...RESTS, says: [] },
    { at: 5, ...MATCHED, says: [] },
    { at: HOUR, says: [] },
    { at: HOUR + 20, says: ['A closed: filled, 0+10'] },
  ]),
  looks('the event of the end has the state of an order that is forgotten at once', [
    { at: 0, open: [order('A', 10, OLD)], says: [] },
    { at: 5, ...CANCELED, says: [] },
    { at: MINUTE, says: [CLOSED], keeps: { orders: [] } },
  ]),
  looks('an order counts as filled if less than a hundredth of a share is missing', [
    { at: 0, open: [order('A', 10), order('B', 10)], says: [] },
    {
      at: 5,
      ...GONE,
      found: { ...found('canceled', 'A', 10, 10), ...found('canceled', 'B', 10, 10) },
      trades: [fill('t1', 3, 'A', 9.99), fill('t2', 3, 'B', 9.98)],
      says: ['A filled by t1: 9.99, now 9.99+0.01', 'B filled by t2: 9.98, now 9.98+0.02'],
    },
    { at: 65, says: ['A closed: cancelled, 9.99+0.01'] },
  ]),
  looks('an order that no look-up finds for a minute may come back', [
    { at: 0, ...RESTS, says: [] },
    { at: 5, ...GONE, says: [] },
    { at: 25, says: [], asks: ['order A'] },
    { at: 44, says: [], asks: [] },
    { at: 70, says: [], asks: ['order A'] },
    { at: 75, ...RESTS, says: [] },
    { at: 100, ...CANCELED, says: [] },
    { at: 119, says: [], asks: [] },
    { at: 120, says: [CLOSED], times: [100] },
  ]),
  looks('an order that no look-up finds any more is closed without a reason, and with one if it comes back', [
    { at: 0, ...RESTS, says: [] },
    { at: 5, ...GONE, says: [] },
    { at: 124, says: [] },
    { at: 145, says: ['A closed: null, 0+10'], data: [{ status: null, reason: null }] },
    { at: 150, ...RESTS, says: [] },
    { at: 155, ...CANCELED, says: [] },
    { at: 175, says: [CLOSED] },
  ]),
  looks('an order that no look-up finds is closed as filled by its trades, or expired by its own expiry', [
    {
      at: 5,
      records: {
        ...record('A', 0),
        ...record('B', 0, { expiresAt: timeOf(10) }),
        ...record('C', 0, { expiresAt: timeOf(11) }),
      },
      trades: [fill('t1', 3, 'A', 9.99)],
      says: ['A filled by t1: 9.99, now 9.99+0.01'],
    },
    { at: 130, says: ['A closed: filled, 9.99+0.01', 'B closed: expired, 0+10', 'C closed: null, 0+10'] },
  ]),
  looks('the event of an end states its reason', [
    {
      at: 5,
      records: {
        ...{ ...record('A', 0), ...record('B', 0), ...record('C', 0), ...record('D', 0), ...record('G', 0) },
        ...{ ...record('E', 0, { expiresAt: timeOf(10) }), ...record('F', 0, { expiresAt: timeOf(11) }) },
      },
      trades: [fill('t1', 3, 'A', 10), fill('t2', 3, 'G', 9.99)],
      says: ['A filled by t1: 10, now 10+0', 'G filled by t2: 9.99, now 9.99+0.01'],
    },
    {
      at: 25,
      found: {
        ...{
          ...found('canceled', 'A', 10, 10),
          ...found('matched', 'B', 10),
          ...found('canceled_market_resolved', 'C', 10),
        },
        ...{ ...found('invalid', 'D', 10), ...found('canceled', 'E', 10), ...found('cancelled', 'F', 10) },
        ...found('canceled', 'G', 10, 9.99),
      },
      says: [
        'A closed: filled, 10+0',
        'G closed: cancelled, 9.99+0.01',
        'B closed: filled, 0+10',
        'C closed: ended, 0+10',
        'D closed: ended, 0+10',
        'E closed: expired, 0+10',
        'F closed: cancelled, 0+10',
      ],
    },
  ]),
  ...['delayed', 'unmatched', 'live', 'queued'].map((status) =>
    looks(`an order that is found ${status} is not over`, [
      { at: 0, ...RESTS, says: [] },
      { at: 5, ...GONE, found: found(status, 'A', 10), says: [] },
      { at: 25, says: [], asks: ['order A'] },
      { at: 30, ...CANCELED, says: [] },
      { at: 49, says: [], asks: [] },
      { at: 50, says: [CLOSED], times: [30] },
    ]),
  ),
  looks('a look-up that cannot be read closes nothing, and is made again', [
    { at: 0, ...RESTS, says: [] },
    { at: 5, ...GONE, found: { A: 'unreadable' }, says: [] },
    { at: 25, says: [], asks: ['order A'] },
    { at: 44, says: [], asks: [] },
    { at: HOUR, found: { A: order('A', 10, { status: null }) }, says: [], asks: ['order A'] },
    { at: HOUR + 15, says: [], asks: [] },
    { at: HOUR + 20, ...CANCELED, says: [CLOSED] },
  ]),
  looks('an order whose record names no market has the market of the venue, or no question', [
    {
      at: 5,
      ...RESTS,
      records: { ...record('A', 3, { market: null }), ...record('B', 3, { market: null }) },
      says: [],
    },
    { at: 10, ...GONE, found: { ...found('canceled', 'A', 10), ...found('canceled', 'B', 10) }, says: [] },
    {
      at: 30,
      says: [CLOSED, 'B closed: cancelled, 0+10'],
      data: [{ question: 'Will it rain?' }, { question: null }],
    },
  ]),
  looks('at most a hundred orders are looked up in one look', [
    { at: 0, open: Array.from({ length: 150 }, (_, index) => order(`A${index}`, 10)), says: [] },
    { at: 5, ...GONE, says: [] },
    { at: 25, says: [], asks: Array.from({ length: 100 }, (_, index) => `order A${index}`) },
    { at: 30, says: [], asks: Array.from({ length: 50 }, (_, index) => `order A${index + 100}`) },
  ]),
  looks('an order that was placed, and has left before it was seen, is closed', [
    { at: 0, records: { ...record('Y', -1), ...record('Z', 0, {}, false) }, says: [], keeps: { orders: [] } },
    { at: 5, records: record('A', 3), found: found('canceled', 'A', 10), says: [] },
    { at: 25, says: ['A closed: cancelled, 0+10'], data: [{ ...CLIENT, question: 'Will it rain?', outcome: 'Yes' }] },
  ]),
  looks('a closed order is forgotten once nothing of it can show, and is not followed again', [
    {
      at: 5,
      records: record('A', 0),
      trades: [fill('t1', 3, 'A', 4, CONFIRMED)],
      says: [PARTLY, 'A settled in t1, now 4+6'],
    },
    { at: 25, found: found('canceled', 'A', 10, 4), says: ['A closed: cancelled, 4+6'] },
    {
      at: HOUR,
      open: [order('B', 10)],
      records: { ...record('A', 0), ...record('B', HOUR) },
      says: [],
      keeps: { orders: ['A', 'B'] },
    },
    {
      at: HOUR + MINUTE,
      trades: [fill('t2', HOUR, 'B', 1, CONFIRMED)],
      says: ['B filled by t2: 1, now 1+9', 'B settled in t2, now 1+9'],
      keeps: { orders: ['B'], parts: 1 },
    },
    {
      at: HOUR + 2 * MINUTE,
      trades: [taken('t3', HOUR + MINUTE, 'C', 1)],
      says: ['C filled by t3: 1, now 1+null'],
      keeps: { orders: ['B', 'C'] },
    },
    { at: HOUR + 5 * MINUTE, says: ['C closed: null, 1+null'], data: [{ size: null, price: null }] },
  ]),
  looks('a closed order is not forgotten while its record is read in each look', [
    { at: 5, records: record('A', 0), found: found('canceled', 'A', 10), says: [] },
    { at: 25, says: [CLOSED] },
    {
      at: HOUR,
      open: [order('B', 10)],
      trades: [fill('t1', HOUR, 'B', 1)],
      says: ['B filled by t1: 1, now 1+9'],
      keeps: { orders: ['A', 'B'] },
    },
    { at: 2 * HOUR, says: [] },
  ]),
];

/** Every look of the follower, by its clauses. */
export const LOOKS: readonly Looks[] = [...EVENTS, ...TRADES, ...FEES, ...UNEVEN, ...CLIENTS, ...ENDS];

import { LATE_ARRIVAL_MS, LEASE_MS } from '../../shared/limits.ts';
import {
  type Answer,
  arrives,
  BALANCE,
  BROKEN,
  begun,
  busy,
  describeRows,
  live,
  lost,
  pass,
  type Row,
  refused,
  replayed,
  SHOWN,
  says,
  unknown,
} from '../support/orders/fate-rows.ts';
import { bookAnswer, v1TokenId } from '../support/venue/venue-answers.ts';

const { accepted } = await import('../support/orders/trading-world.ts');

// What a wrong clock of this machine, a wrong time of the venue and a machine that stood still come to.

const HOUR_MS = 3_600_000;
const LINE = 'clock of this machine differs from the venue: no order is signed [wrong_clocks]';
const WRONG = { ends: 'venue_refused_service clock', sent: '', kept: 'free', logs: [LINE] } as const;
/** A repeat by a wrong clock. */
const stopped = (sent: string) =>
  ({ ...unknown(sent), logs: [LINE], says: 'The clock of this service may be wrong' }) as const;

const dated = (ms: number, headers: Readonly<Record<string, string>> = {}) => ({
  date: new Date(Date.now() + ms).toUTCString(),
  ...headers,
});
/** A book whose `Date` is so far from ours. */
const bookDated =
  (ms: number, headers?: Readonly<Record<string, string>>): Answer =>
  (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? ''), headers: dated(ms, headers) });

const WORDS = 'order accepted for asynchronous processing';
const inWords = (sent: string) => ({ ...unknown(sent, 10), ends: `outcome_unknown 10 "${WORDS}"` }) as const;

const CLOCK: readonly Row[] = [
  [
    'ahead: nothing is signed until it is set right',
    { ownClockSet: 25_000, ...WRONG, says: "its clock is 25 s ahead of the venue's" },
    { ...WRONG, says: 'NTP has to set' },
    { ownClockSet: -25_000, ...live('A') },
  ],
  [
    'behind: nothing is signed until it is set right',
    { ownClockSet: -600_000, ...WRONG, says: "its clock is 600 s behind the venue's" },
    { ownClockSet: 600_000, ...live('A') },
  ],
  ['a clock that is 10 s off counts as right', { ownClockSet: 10_000, ...live('A') }],
  ['a clock that is 11 s off counts as wrong', { ownClockSet: 11_000, ...WRONG }],
  ['a wrong clock is reported before an end that is too soon', { ownClockSet: 600_000, endsInMs: 300_000, ...WRONG }],
  ['one answer with a wrong time changes nothing', { book: bookDated(600_000), ...live('A') }],
  [
    'nor does an edge that answers orders with an old time',
    { post: (id) => ({ ...accepted(id), headers: dated(-HOUR_MS) }), key: null, ...live('A') },
    { post: (id) => ({ ...accepted(id), headers: dated(-HOUR_MS) }), ...live('AB') },
  ],
  [
    'set while the rules of the market are kept: the answer to the next order raises the doubt',
    { key: null, ...live('A') },
    { ownClockSet: 25_000, key: null, ...live('AB') },
    { ...WRONG, sent: 'AB' },
  ],
  [
    'an answer that a cache has kept raises no doubt',
    { key: null, ...live('A') },
    { asks: { tokenId: v1TokenId(2) }, book: bookDated(-HOUR_MS, { age: '0' }), time: BROKEN, ...live('AB') },
  ],
  [
    "the venue's time is that of the middle of the request",
    {
      book: bookDated(600_000),
      time: () => {
        pass(11_000);
        const body = String(Math.floor(Date.now() / 1_000));
        pass(11_000);
        return { body };
      },
      ...{ budgetMs: 60_000, ...live('A') },
    },
  ],
  [
    'while the venue cannot be asked for its time, a doubt stands',
    // A time under an error is none.
    {
      ...{ book: bookDated(600_000), ends: 'venue_error', sent: '', kept: 'free' },
      time: () => ({ status: 500, body: String(Math.floor(Date.now() / 1_000)) }),
    },
    { time: BROKEN, ...live('A') },
  ],
  [
    'set ahead between a sending and its repeat: nothing is sent, and no refusal is concluded',
    lost('A'),
    { ownClockSet: 200_000, post: says(BALANCE), ...stopped('A') },
    { ownClockSet: -200_000, post: says(BALANCE), ...unknown('AA', 115) },
    { after: LATE_ARRIVAL_MS, ...refused('AAA') },
  ],
  [
    'set back between store and sending, and right again before the repeat: no refusal is concluded',
    { atWrite: () => pass(-200_000, 'wall'), ...lost('A') },
    { clockSet: 200_000, post: says(BALANCE), ...unknown('AA', 115) },
  ],
  [
    'nor from unknown words',
    {
      ...{ post: says(WORDS), ...inWords('A') },
      logs: ['unknown venue message: add a row to sentences.ts'],
    },
    { ownClockSet: 200_000, ...inWords('A'), logs: [LINE] },
    { ownClockSet: -200_000, after: LATE_ARRIVAL_MS, ends: `order_rejected "${WORDS}"`, sent: 'A', kept: 'refused' },
  ],
  [
    'nor from an end that has not come',
    { endsInMs: 150_000, ...lost('A') },
    { endsInMs: 150_000, ownClockSet: 200_000, ...stopped('A'), kept: 'open unsigned' },
    { endsInMs: 150_000, ownClockSet: -200_000, order: SHOWN, ...live('A') },
  ],
  [
    'a repeat finds its order although the clock is wrong',
    lost('A'),
    { ownClockSet: 200_000, order: SHOWN, ...live('A') },
  ],
  [
    'a repeat of an order that was not taken waits while the clock is wrong',
    busy('A'),
    { ownClockSet: 25_000, ...stopped('A') },
  ],
  [
    'a repeat sends nothing where the venue cannot be asked for its time',
    lost('A'),
    { ownClockSet: 200_000, time: BROKEN, ...unknown('A'), says: 'may be wrong' },
  ],
  [
    'set back during a lease: others wait 30 s of their own count at most',
    begun('A'),
    { ownClockSet: -200_000, ends: 'order_in_progress 30', sent: 'A', kept: 'open' },
    { after: LEASE_MS, ...stopped('A') },
    { ownClockSet: 200_000, ...live('AA') },
    arrives(replayed('AA')),
  ],
  [
    'a machine that stood still for an hour between store and sending sends nothing; the repeat does',
    {
      atWrite: () => pass(HOUR_MS, 'wall'),
      ...{ ...unknown(''), logs: ['lease ended [lease_faults]'], says: 'ran out of time' },
    },
    live('A'),
  ],
  [
    'a lease is over after a suspend, in which the monotonic clock stands still',
    begun('A'),
    { clockSet: HOUR_MS, restarts: {}, ...live('AA') },
  ],
];

describeRows({ "the clock is the machine's": CLOCK });

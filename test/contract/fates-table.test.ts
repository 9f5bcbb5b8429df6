import { LATE_ARRIVAL_MS, LEASE_MS } from '../../shared/limits.ts';
import {
  type Answer,
  answers,
  arrives,
  BALANCE,
  BROKEN,
  begun,
  book,
  busy,
  CONTRADICTED,
  CROSSES,
  describeRows,
  FAILED,
  freed,
  LOST,
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
import type { Step } from '../support/orders/fate-steps.ts';
import type { HttpReply, Reply } from '../support/venue/scripted-venue.ts';

const { API_KEY, API_SECRET, NOT_FOUND, NO_TRADES, PASSPHRASE, accepted, derivedKey, lookedUp } = await import(
  '../support/orders/trading-world.ts'
);

// What an answer to an order, and the look-ups after it, prove.

const page = (status: number): HttpReply => ({ status, headers: { 'content-type': 'text/html' }, body: '<html>' });
const CUT: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"success":true', () => response.destroy());
};
const FILLED: Answer = (taker_order_id) => ({ body: { data: [{ id: 't1', taker_order_id }], next_cursor: 'LTE=' } });
/** Answers only the look-up of this number so. */
const at =
  (number: number, reply: Reply, usual: Reply = NOT_FOUND): Answer =>
  (_id, index) =>
    index === number ? reply : usual;

const NEW_WORDS = 'order accepted for asynchronous processing';
const DELAYED = 'order match delayed due to market conditions';
const ADD_A_ROW = 'unknown venue message: add a row to sentences.ts';
/** Credentials that the key derives. */
const DERIVED = { restarts: { credentials: undefined } } as const;
const UNAUTHORIZED = says('Unauthorized/Invalid api key', 401);
/** An order that a book with a coarser tick does not take. */
const OFF_TICK = { asks: { price: '0.55' }, book: book({ tick_size: '0.1' }) } as const;
const ENDS = { endsInMs: 150_000 } as const;

const inNewWords = (wait: number) => ({
  ...{ ends: `outcome_unknown ${wait} ${JSON.stringify(NEW_WORDS)}`, sent: 'A', kept: 'open' },
});
const EXPIRED = { ...ENDS, ends: 'order_rejected', sent: 'A', kept: 'refused' } as const;
const filled = (sent: string) => ({ trades: FILLED, ends: 'matched', sent, kept: 'placed' }) as const;
/** A busy machine may not read the rules in the little time that a later step has. */
const RULES_READ: Step = { key: null, ...live('A') };
let late: NodeJS.Timeout | undefined;
/** An answer in words without a row. */
const inWords: Step = { post: says(NEW_WORDS), ...inNewWords(10), logs: [ADD_A_ROW] };

const SENT_ONCE: readonly Row[] = [
  ...[
    ['425', 425, 'x', 'venue_unavailable 5'],
    ['429', 429, 'x', 'rate_limited 1'],
    ['a JSON 503 with one of its texts', 503, 'Trading is currently disabled', 'venue_unavailable 5'],
  ].map(
    ([what, status, error, ends]): Row => [
      `a second time only after the venue's own word, or as a repeat: ${what}`,
      { post: says(String(error), Number(status)), ends: String(ends), sent: 'A', kept: 'open', looks: [0, 0] },
      live('AA'),
    ],
  ),
  [
    'a 401 is of the operator, and frees the key by a sentence alone: the next request derives other credentials',
    {
      ...{ ...DERIVED, ...freed('A'), post: UNAUTHORIZED, auth: () => derivedKey('k1') },
      ends: 'venue_refused_service credentials',
    },
    {
      ...live('AB'),
      post: (id, _index, { headers }) => (headers['poly_api_key'] === 'k1' ? UNAUTHORIZED() : accepted(id)),
    },
  ],
  [
    'a JSON 401 that the order is known is looked up',
    { ...DERIVED, post: says('Duplicated', 401), order: SHOWN, ...live('A') },
  ],
  [
    'never after the expiry: an expired order that no look-up and no trade knows is refused, "expired"',
    { ...ENDS, ...lost('A') },
    { after: 145_000, ...EXPIRED, looks: [5, 8], tookMs: 5_000, says: 'expired' },
    { ...EXPIRED, ends: 'order_rejected replayed' },
  ],
  [
    'nor where it expires on the way',
    { ...ENDS, ...lost('A') },
    {
      ...{ after: 144_000, ...EXPIRED },
      order: () => {
        pass(2_000);
        return NOT_FOUND;
      },
    },
  ],
  [
    'an expired order is found where it was filled or rests, though the venue cannot be asked at first',
    { ...ENDS, ...lost('A') },
    { ...ENDS, after: 145_000, order: BROKEN, ...unknown('A'), kept: 'open unsigned' },
    { ...ENDS, order: (id, index) => (index < 2 ? FAILED : lookedUp(id, 'LIVE')), ...live('A') },
  ],
  [
    'an expired order may still have arrived for 120 s after the last sending',
    { ...ENDS, ...lost('A') },
    { ...ENDS, after: 95_000, ...lost('AA') },
    { ...ENDS, after: 50_000, ...unknown('AA', 60), kept: 'open unsigned' },
    { ...ENDS, after: 60_000, ...filled('AA') },
  ],
  [
    'where the book named no market, trades under the other token cannot be asked for: not called expired',
    {
      ...{ ...ENDS, ...lost('A') },
      book: book({ market: undefined }),
    },
    { ...ENDS, after: 145_000, ...unknown('A'), kept: 'open unsigned', looks: [5, 4] },
  ],
  [
    'nor once its lease has ended: the right to send is asked for before bytes leave',
    lost('A'),
    {
      ...{ budgetMs: 90_000, ...unknown('A'), logs: ['lease ended [lease_faults]'], says: 'ran out of time' },
      order: () => {
        pass(LEASE_MS);
        return NOT_FOUND;
      },
    },
  ],
  [
    'nor without the time to look it up: no byte leaves',
    { atWrite: () => pass(16_100), ends: 'venue_timeout', sent: '', kept: 'open', says: 'no order was sent' },
    { ...lost('A') },
    { budgetMs: 7_900, ...unknown('A'), cause: 'no time left to send the order again', looks: [1, 0] },
  ],
  [
    'where no byte left, the order was not placed',
    {
      ...{ atWrite: ({ close }) => close(), ends: 'venue_unavailable 5', sent: '', kept: 'open' },
      says: 'The order was not placed',
    },
  ],
  [
    '"Duplicated" means: look the order up',
    { post: says('order is invalid. Duplicated.'), ...unknown('A'), looks: [5, 8] },
    { post: says('order is invalid. Duplicated.'), ...filled('AA') },
  ],
  ...[NOT_FOUND, { body: 'null' }].map(
    (reply): Row => [
      `a look-up that says ${JSON.stringify(reply.body)} proves nothing: the repeat sends the order again`,
      { post: LOST, order: answers(reply), ...unknown('A') },
      { order: answers(reply), ...live('AA'), looks: [1, 0] },
    ],
  ),
  [
    'a repeat sends nothing while the venue cannot be asked, and asks a second time after one failure',
    lost('A'),
    { order: BROKEN, ...unknown('A'), cause: 'the venue cannot be asked', looks: [2, 0] },
    {
      order: (id, index) => (index === 0 ? 'reset' : lookedUp(id, 'CANCELED')),
      ends: 'cancelled',
      sent: 'A',
      kept: 'placed',
    },
  ],
  [
    'a repeat whose venue took none of the sendings, and cannot be asked now, is venue_unavailable',
    busy('A'),
    { ...busy('A'), order: BROKEN, looks: [2, 0] },
  ],
];

/** Answers to an order that prove nothing, a kind each; `post-order.test.ts` has each answer. */
const UNCLEAR: readonly (readonly [string, Answer])[] = [
  ['a reset', LOST],
  ['a body that breaks off', answers(CUT)],
  ['a truncated JSON', answers({ body: '{"success":true,"orderID":"0x' })],
  ['403 of the firewall', answers(page(403))],
  ['503 of the edge', answers({ ...page(503), body: '<html>Trading is currently disabled</html>' })],
  ['a redirect', answers({ status: 307, headers: { location: '/order' } })],
  ['500 with words of a refusal', says('invalid signature', 500)],
  ['could not insert', says("couldn't insert order")],
  ['429 delayed', says(DELAYED, 429)],
  ['a refusal that shows the order', (id) => accepted(id, { success: false, errorMsg: CROSSES })],
  [
    'a refusal that shows a trade',
    () => accepted('', { success: false, errorMsg: CROSSES, status: '', tradeIDs: ['t'] }),
  ],
  ['a status that we do not know', (id) => accepted(id, { status: 'parked' })],
];

const DUE = LATE_ARRIVAL_MS - 5_000;

const FAILURES: readonly Row[] = [
  [
    '1. an order is refused at once only by a sentence that names a check made before the book',
    { ...refused('A'), looks: [0, 0] },
  ],
  [
    '1. a refusal has the rules of the market read again, since they may have changed; a placement has not',
    { key: null, ...live('A') },
    { key: null, ...OFF_TICK, ...refused('AB') },
    { key: null, ...OFF_TICK, ends: 'price_off_tick', sent: 'AB', kept: 'refused' },
  ],
  [
    '1. a sentence that frees the key has the rules of the market read again, too',
    { key: null, ...live('A') },
    { ...OFF_TICK, ...freed('AB') },
    { ...OFF_TICK, ends: 'price_off_tick', sent: 'AB', kept: 'free' },
  ],
  ...(['buy', 'sell'] as const).map(
    (side): Row => [
      `1. too small a balance speaks of sold shares on a sale only: ${side}`,
      { ...refused('A'), asks: { side }, says: side === 'sell' ? 'Shares bought a moment ago' : 'to add funds' },
    ],
  ),
  [
    '1. the sentence is quoted without credentials',
    {
      post: says(`${CROSSES} ${API_KEY} ${API_SECRET} ${PASSPHRASE}`),
      ...{ ends: `post_only_would_cross "${CROSSES} [removed] [removed] [removed]"`, sent: 'A', kept: 'refused' },
    },
  ],
  ...UNCLEAR.map(
    ([what, post]): Row => [
      `2. looked up, and not sent again: ${what}`,
      { post, order: SHOWN, ...live('A'), looks: [1, 0] },
    ],
  ),
  [
    '2. a page of the edge is no sentence of the venue: 502, and the sending stays in doubt',
    { post: answers(page(403)), ends: 'venue_refused_service firewall', sent: 'A', kept: 'open', says: 'may be live' },
    { after: 1_000, post: says(BALANCE), ...unknown('AA', 114) },
    { order: SHOWN, ...live('AA') },
  ],
  [
    '2. an order that no look-up finds is outcome_unknown, which says to repeat',
    { post: says(DELAYED), ...unknown('A'), looks: [5, 8], tookMs: 5_000, says: 'with the same Idempotency-Key' },
  ],
  [
    '2. an order is found by a later look-up',
    { post: LOST, order: (id, index) => (index < 4 ? FAILED : lookedUp(id, 'LIVE')), ...live('A'), looks: [5, 6] },
  ],
  ['2. an order is found by its trades, from the second look-up on', { post: LOST, ...filled('A'), looks: [2, 1] }],
  [
    '2. five seconds of the time are kept for look-ups',
    RULES_READ,
    {
      budgetMs: 8_100,
      post: () => {
        late = setTimeout(pass, 3_000, 10_000);
        return 'hang';
      },
      order: (id) => {
        clearTimeout(late);
        return lookedUp(id, 'LIVE');
      },
      ...live('AB'),
    },
  ],
  [
    '2. an order is not looked up any more once the time is over',
    RULES_READ,
    {
      post: () => {
        pass(3_500);
        return 'reset';
      },
      ...{ budgetMs: 9_000, ...unknown('AB'), looks: [4, 6], cause: 'reset' },
    },
  ],
  ['3. words that we do not know are looked up over at least 5 s', { ...inWords, looks: [5, 8], tookMs: 5_000 }],
  [
    '3. unknown words in a 200 with success:false are looked up as well',
    { ...inWords, post: () => accepted('', { success: false, errorMsg: NEW_WORDS, status: '' }) },
  ],
  [
    '3. a 200 that does not deny success has no words to report',
    { post: () => accepted('', { errorMsg: NEW_WORDS, status: '' }), ...unknown('A') },
  ],
  [
    '3. without a key there is no time to repeat after: a repeat would be a second order',
    { ...inWords, key: null, ends: `outcome_unknown "${NEW_WORDS}"`, kept: 'open unsigned' },
  ],
  [
    '3. found: 201',
    {
      post: says(NEW_WORDS),
      order: (id, index) => (index === 4 ? lookedUp(id, 'LIVE') : NOT_FOUND),
      ...live('A'),
      logs: [ADD_A_ROW],
    },
  ],
  [
    '3. repeats look the order up and send nothing; 120 s later two empty look-ups are order_rejected, final',
    inWords,
    { after: 10_000, ...inNewWords(10), looks: [1, 2], cause: 'a look-up ended with not_found' },
    { after: DUE - 10_001, ...inNewWords(1) },
    { after: 1, ends: `order_rejected "${NEW_WORDS}"`, sent: 'A', kept: 'refused', looks: [5, 8] },
    { ends: `order_rejected "${NEW_WORDS}" replayed`, sent: 'A', kept: 'refused' },
  ],
  [
    '3. unless all look-ups are usable, the words are not believed',
    inWords,
    { after: DUE, order: at(0, page(404)), ...inNewWords(10), cause: NEW_WORDS, looks: [5, 8] },
    { order: at(3, { status: 404, body: { message: 'no' } }), ...inNewWords(10) },
    { trades: answers(NOT_FOUND), ...inNewWords(10) },
    { trades: at(3, page(404), NO_TRADES), ...inNewWords(10) },
    { trades: (id) => ({ body: { data: [{ id: 't1', taker_order_id: id, status: 'FAILED' }] } }), ...inNewWords(10) },
    { budgetMs: 6_900, ...inNewWords(10), looks: [4, 6] },
    { ...filled('A') },
  ],
  [
    '3. words that came at a second sending count alike',
    lost('A'),
    { after: 1_000, ...inWords, sent: 'AA' },
    { ...inNewWords(10), sent: 'AA', looks: [1, 2] },
  ],
  [
    '4. unmatched proves nothing, at the answer and in a look-up',
    { post: (id) => accepted(id, { status: 'unmatched' }), order: (id) => lookedUp(id, 'UNMATCHED'), ...unknown('A') },
    { order: SHOWN, ...live('A') },
  ],
  [
    '5. a refusal of a second sending proves nothing until 120 s after the last one without a provable answer',
    lost('A'),
    { after: 1_000, post: says(BALANCE), ...unknown('AA', 114), says: 'an earlier one may still be accepted' },
    { after: DUE - 1_001, post: says(CROSSES), ...unknown('AAA', 1), looks: [2, 2] },
    { after: 1, ...refused('AAAA'), looks: [2, 2] },
    { ends: 'insufficient_balance replayed', sent: 'AAAA', kept: 'refused' },
  ],
  [
    '5. nor does one that frees keys',
    lost('A'),
    { after: 1_000, ...freed('AA'), ...unknown('AA', 114) },
    { order: SHOWN, ...live('AA') },
  ],
  [
    '5. the wait is shorter where the venue is busy for a moment',
    lost('A'),
    { ...busy('AA'), ...unknown('AA', 5) },
    { after: DUE, ...busy('AAA') },
  ],
  [
    '5. another sending without an answer begins the time again',
    lost('A'),
    { after: DUE - 1, ...lost('AA') },
    { after: DUE - 1, post: says(BALANCE), ...unknown('AAA', 1) },
    { after: 1, ...refused('AAAA') },
  ],
  [
    '5. the time is over before the sending whose refusal counts: the process may stand still before it reads it',
    lost('A'),
    {
      after: DUE - 1_000,
      post: () => {
        pass(1_000);
        return { status: 400, body: { error: BALANCE } };
      },
      ...unknown('AA', 1),
    },
    { ...refused('AAA') },
  ],
  [
    '5. a process that is killed at a later one may have sent until the end of its lease',
    busy('A'),
    begun('AA'),
    { restarts: {}, after: LEASE_MS, post: says(BALANCE), ...unknown('AAA', 120) },
    { after: LATE_ARRIVAL_MS - 1, post: says(BALANCE), ...unknown('AAAA', 1) },
    { after: 1, ...refused('AAAAA') },
  ],
  [
    '5. a process that is killed at the first sending may have sent until the end of its lease',
    begun('A'),
    { restarts: {}, after: LEASE_MS, post: says(BALANCE), ...unknown('AA', 120) },
    { after: LATE_ARRIVAL_MS, ...refused('AAA') },
  ],
  [
    '5. refused at once where every earlier sending was provably not taken',
    { post: answers({ status: 429 }), ends: 'rate_limited 1', sent: 'A', kept: 'open' },
    { ...refused('AA'), looks: [2, 2] },
  ],
  [
    '5. unless a look-up finds the order: its own fill, or the order itself, is the reason of the refusal',
    lost('A'),
    { after: DUE, post: says(BALANCE), trades: BROKEN, ...unknown('AA'), says: 'may be live' },
    { post: says(BALANCE), trades: answers({ body: { data: [], next_cursor: 'again' } }), ...unknown('AAA') },
    { post: says(BALANCE), order: (id, index) => (index === 0 ? NOT_FOUND : lookedUp(id, 'LIVE')), ...live('AAAA') },
  ],
  [
    '6. a placement is stored over a refusal, with an error line',
    begun('A'),
    { after: LEASE_MS + LATE_ARRIVAL_MS, ...refused('AA') },
    arrives({ ...live('AA'), logs: [`${CONTRADICTED} insufficient_balance`] }),
    replayed('AA'),
  ],
];

describeRows({ 'sent once': SENT_ONCE, 'a failure never lies': FAILURES });

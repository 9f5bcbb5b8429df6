import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { KEEP_MS, LATE_ARRIVAL_MS, LEASE_MS, RENEWAL_PAUSE_MS } from '../../shared/limits.ts';
import type { OrderStore } from '../../shared/orders/order-store.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { Step } from '../support/orders/fate-world.ts';
import type { Answers } from '../support/orders/trading-world.ts';
import type { HttpReply, Reply } from '../support/venue/scripted-venue.ts';
import { bookAnswer, v1TokenId } from '../support/venue/venue-answers.ts';

// All times of the service are these: pauses pass at once, and nothing else takes time.
const time = { wall: 1_790_000_000_000, uptime: 100_000 };
function pass(milliseconds: number): void {
  time.wall += milliseconds;
  time.uptime += milliseconds;
}
jest.unstable_mockModule('node:timers/promises', () => ({
  setTimeout: (milliseconds: number) => {
    pass(milliseconds);
    return new Promise((resolve) => setImmediate(resolve));
  },
}));
const { STORES, expected, play } = await import('../support/orders/fate-world.ts');
const { API_KEY, API_SECRET, NOT_FOUND, NO_TRADES, PASSPHRASE, accepted, derivedKey, lookedUp } = await import(
  '../support/orders/trading-world.ts'
);

type Answer = NonNullable<Answers['post']>;
type Row = readonly [sentence: string, ...steps: Step[]];

const answers = (reply: Reply) => (): Reply => reply;
const says = (error: string, status = 400) => answers({ status, body: { error } });
const page = (status: number): HttpReply => ({ status, headers: { 'content-type': 'text/html' }, body: '<html>' });
const CUT: Reply = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
  response.write('{"success":true', () => response.destroy());
};
const LOST: Answer = () => 'reset';
const SHOWN: Answer = (id) => lookedUp(id, 'LIVE');
const FAILED: HttpReply = { status: 500, body: { error: 'x' } };
const BROKEN: Answer = () => FAILED;
/** A book with a coarser tick. */
const COARSE: Answer = (_id, _index, { query }) => ({
  body: bookAnswer(query.get('token_id') ?? '', { tick_size: '0.1' }),
});
const FILLED: Answer = (taker_order_id) => ({ body: { data: [{ id: 't1', taker_order_id }], next_cursor: 'LTE=' } });
/** Answers only the look-up of this number so. */
const at =
  (number: number, reply: Reply, usual: Reply = NOT_FOUND): Answer =>
  (_id, index) =>
    index === number ? reply : usual;

const CROSSES = 'invalid post-only order: order crosses book';
const BALANCE = 'not enough balance / allowance';
const WALLET_TYPE = 'maker address not allowed, please use the deposit wallet flow';
const NEW_WORDS = 'order accepted for asynchronous processing';
const DELAYED = 'order match delayed due to market conditions';
const ADD_A_ROW = 'unknown venue message: add a row to sentences.ts';
const DAY_MS = 86_400_000;

const live = (sent: string) => ({ ends: 'live', sent, kept: 'placed' }) as const;
const replayed = (sent: string) => ({ ends: 'live replayed', sent, kept: 'placed' }) as const;
const unknown = (sent: string, wait?: number) =>
  ({ ends: `outcome_unknown${wait ? ` ${wait}` : ''}`, sent, kept: 'open' }) as const;
const inNewWords = (wait: number) => ({
  ...{ ends: `outcome_unknown ${wait} ${JSON.stringify(NEW_WORDS)}`, sent: 'A', kept: 'open' },
});
const REFUSED_CREDENTIALS = { kept: 'open', ends: 'venue_refused_service credentials' } as const;
const EXPIRED = { ends: 'order_rejected', sent: 'A', kept: 'refused' } as const;
const CONTRADICTED = 'placed order contradicts its record';
let late: NodeJS.Timeout | undefined;
/** Bytes left, and no answer came: five seconds of look-ups later nothing is known. */
const lost: Step = { post: LOST, ...unknown('A') };
/** An answer in words without a row. */
const inWords: Step = { post: says(NEW_WORDS), ...inNewWords(10), logs: [ADD_A_ROW] };

const verified = (address: string): OrderClient => ({ address, isVerified: true });
const claimed = (address: string): OrderClient => ({ address, isVerified: false });
const FOR = { venue: 'https://other.example', chainId: 137, maker: '0x5afe', signatureType: 'safe' };
const reused = (says: string) => ({ ends: 'idempotency_key_reused', sent: 'A', kept: 'placed', says }) as const;

const ONE_ORDER: readonly Row[] = [
  [
    'the same request places one order however often it is sent, also across restarts',
    live('A'),
    replayed('A'),
    { restarts: {}, ...replayed('A') },
  ],
  [
    'whatever fails in between, a repeat sends the same signed bytes',
    { post: answers({ status: 425 }), ends: 'venue_unavailable 5', sent: 'A', kept: 'open' },
    { restarts: {}, post: LOST, ...unknown('AA') },
    { after: 1_000, ...live('AAA') },
  ],
  ['or only looks the order up', lost, { order: SHOWN, ...live('A'), looks: [1, 0] }, replayed('A')],
  [
    '201 is final, whatever the venue or the market would say now',
    { post: (id) => accepted(id, { status: 'matched' }), ends: 'matched', sent: 'A', kept: 'placed' },
    { book: BROKEN, post: says(CROSSES), ends: 'matched replayed', sent: 'A', kept: 'placed' },
  ],
  [
    'so is a 422 by which the venue refused the order',
    { post: says(CROSSES), ends: `post_only_would_cross "${CROSSES}"`, sent: 'A', kept: 'refused', looks: [0, 0] },
    { ends: `post_only_would_cross "${CROSSES}" replayed`, sent: 'A', kept: 'refused' },
  ],
  [
    'what failed before the order was signed leaves the key free',
    {
      book: COARSE,
      asks: { price: '0.55' },
      ...{ ends: 'price_off_tick', sent: '', kept: 'free' },
    },
    { asks: { price: '0.6', tokenId: v1TokenId(2) }, ...live('A') },
  ],
  ['outcome_unknown keeps the order for the repeat', lost, { after: 1_000, ...live('AA') }],
  [
    '429 does',
    { post: answers({ status: 429 }), ends: 'rate_limited 1', sent: 'A', kept: 'open' },
    { after: 1_000, ...live('AA') },
  ],
  [
    '502 does',
    { post: answers({ status: 401, body: {} }), sent: 'A', ...REFUSED_CREDENTIALS },
    { after: 5_000, ...live('AA') },
  ],
  [
    '503 does',
    { post: says('Trading is currently cancel-only.', 503), ends: 'venue_unavailable 5', sent: 'A', kept: 'open' },
    live('AA'),
  ],
  [
    'venue_refused_service by a sentence of the venue frees it: the repeat signs anew, also for another account',
    { post: says(WALLET_TYPE), ends: 'venue_refused_service wallet_type', sent: 'A', kept: 'free' },
    { restarts: { signedFor: FOR }, client: verified('0xa'), asks: { price: '0.51' }, ...live('AB') },
  ],
  [
    'and so does unknown_token',
    { post: says('market not found', 404), ends: 'unknown_token', sent: 'A', kept: 'free' },
    live('AB'),
  ],
  [
    'but not where a sending is left in doubt',
    lost,
    {
      after: LATE_ARRIVAL_MS,
      post: says(WALLET_TYPE),
      ends: 'venue_refused_service wallet_type',
      sent: 'AA',
      kept: 'open',
    },
    live('AAA'),
  ],
  [
    'a page of the edge is no sentence: 502, and the sending stays in doubt',
    { post: answers(page(403)), ends: 'venue_refused_service firewall', sent: 'A', kept: 'open', says: 'may be live' },
    { after: 1_000, post: says(BALANCE), ...unknown('AA', 114) },
    { order: SHOWN, ...live('AA') },
  ],
  [
    'while another request holds the key it is 409, for 30 s by the own count',
    { held: 'begins', ends: 'begun', sent: 'A', kept: 'open' },
    { ends: 'order_in_progress 30', sent: 'A', kept: 'open' },
    { after: LEASE_MS - 1, ends: 'order_in_progress 1', sent: 'A', kept: 'open' },
    { after: 1, ...live('AA') },
    { held: 'arrives', ...replayed('AA') },
  ],
  [
    'the same key with another order is reused, in every member',
    live('A'),
    ...[
      { price: '0.51' },
      { size: '10.01' },
      { tokenId: v1TokenId(2) },
      { postOnly: false },
      { expiresAt: time.wall + DAY_MS },
      { side: 'sell' } as const,
    ].map((asks) => ({ asks, ...reused('another order') })),
  ],
  [
    'from another verified client it is, and whose key it is goes before what it names',
    { client: verified('0xa'), ...live('A') },
    { client: verified('0xb'), ...reused('another client') },
    { client: verified('0xA'), asks: { price: '0.51' }, ...reused('another client') },
    { client: claimed('0xa'), ...reused('client verification of the service changed') },
    { client: null, asks: { price: '0.51' }, ...reused('client verification of the service changed') },
  ],
  [
    'when verification was switched since it is; claims are labels',
    { client: claimed('0xa'), ...live('A') },
    { client: claimed('0xb'), ...replayed('A') },
    { client: null, ...replayed('A') },
    { client: verified('0xa'), ...reused('client verification of the service changed') },
  ],
  [
    'to a service with another wallet, account, kind of account or venue it is, final or not',
    { post: answers({ status: 425 }), ends: 'venue_unavailable 5', sent: 'A', kept: 'open' },
    ...[{ walletAddress: '0x1' }, { signedFor: FOR }].map((restarts) => ({
      ...{ restarts, ...reused('wallet'), kept: 'open' },
    })),
    { restarts: {}, ...live('AA') },
    { restarts: { signedFor: FOR }, ...reused('venue'), sent: 'AA' },
  ],
  [
    'every order leaves a record, without a key one that nobody can send',
    { key: null, ...live('A') },
    { key: null, post: LOST, ends: 'outcome_unknown', sent: 'AB', kept: 'open unsigned', says: 'Look the order id up' },
    { key: null, post: answers({ status: 429 }), ends: 'rate_limited 1', sent: 'ABC', kept: 'not_taken' },
  ],
  [
    'a store that does not work is 503, and nothing is sent',
    { failing: 'read', ends: 'store_unavailable 5', sent: '', kept: 'free', cause: 'down' },
    { failing: 'create', ends: 'store_unavailable 5', sent: '', kept: 'free', says: 'nothing was sent' },
    { post: LOST, ...unknown('A') },
    { failing: 'replace', order: SHOWN, ends: 'store_unavailable 5', sent: 'A', kept: 'open', looks: [0, 0] },
  ],
  [
    'an answer that cannot be stored: a placement is told, a refusal is not, and the log has both',
    { failing: 'replace', ...live('A'), kept: 'open', logs: ['final answer not stored'] },
    { after: LEASE_MS, order: SHOWN, ...live('A') },
  ],
  [
    'an answer that cannot be stored: a refusal is not told',
    {
      ...{ failing: 'replace', post: says(CROSSES), ends: 'outcome_unknown', sent: 'A', kept: 'open' },
      ...{
        cause: 'The post-only order would have matched at once. Choose a price further from the other side.',
        logs: ['final answer not stored'],
      },
    },
    { after: LEASE_MS, order: SHOWN, ...live('A') },
  ],
  [
    'signed bytes are kept until they can no longer be taken: 24 h after the last use the order is only looked up',
    lost,
    { after: DAY_MS - 5_001, post: LOST, ...unknown('AA') },
    { after: DAY_MS - 5_000, ...unknown('AA'), kept: 'open unsigned' },
    { order: SHOWN, ...live('AA') },
  ],
  [
    'finished records are kept 400 days, and longer where they are used on the last of them',
    live('A'),
    { after: KEEP_MS - DAY_MS + 1, ...replayed('A') },
    { after: KEEP_MS - 1, failing: 'replace', ...replayed('A'), logs: ['final answer not kept for longer'] },
  ],
];

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
    'a JSON 401 is answered by other credentials',
    {
      restarts: { credentials: undefined },
      post: (id, index) =>
        index === 0 ? { status: 401, body: { error: 'Unauthorized/Invalid api key' } } : accepted(id),
      ...live('AA'),
    },
  ],
  [
    'a JSON 401 that the order is known is not',
    {
      restarts: { credentials: undefined },
      post: says('Duplicated', 401),
      ...{ order: SHOWN, ...live('A') },
    },
  ],
  [
    'a 401 without other credentials is of the operator, and frees the key by a sentence alone',
    { post: says('Unauthorized/Invalid api key', 401), ...REFUSED_CREDENTIALS, sent: 'A', kept: 'free' },
  ],
  [
    'where other credentials cannot be had now, the order is kept for the repeat',
    {
      ...{ restarts: { credentials: undefined }, post: says('Unauthorized/Invalid api key', 401) },
      auth: (_id, index) => (index < 2 ? derivedKey('k1') : { status: 429 }),
      ...{ ends: 'rate_limited 1', sent: 'A', kept: 'open' },
    },
    { after: RENEWAL_PAUSE_MS, ...live('AA') },
  ],
  [
    'and where they come too late, it is not sent again',
    {
      ...{ restarts: { credentials: undefined }, post: says('Unauthorized/Invalid api key', 401) },
      auth: (_id, index) => {
        if (index === 2) pass(16_100);
        return derivedKey('k1');
      },
      ...{ ends: 'venue_timeout', sent: 'A', kept: 'open' },
    },
  ],
  [
    'never after the expiry: an expired order that no look-up and no trade knows is refused, "expired"',
    { endsInMs: 150_000, ...lost },
    { endsInMs: 150_000, after: 145_000, ...EXPIRED, looks: [5, 8], tookMs: 5_000, says: 'expired' },
    { endsInMs: 150_000, ...EXPIRED, ends: 'order_rejected replayed' },
  ],
  [
    'nor where it expires on the way',
    { endsInMs: 150_000, ...lost },
    {
      ...{ endsInMs: 150_000, after: 144_000, ...EXPIRED },
      order: () => {
        pass(2_000);
        return NOT_FOUND;
      },
    },
  ],
  [
    'an expired order is found where it was filled or rests, though the venue cannot be asked at first',
    { endsInMs: 150_000, ...lost },
    { endsInMs: 150_000, after: 145_000, order: BROKEN, ...unknown('A'), kept: 'open unsigned' },
    { endsInMs: 150_000, order: (id, index) => (index < 2 ? FAILED : lookedUp(id, 'LIVE')), ...live('A') },
  ],
  [
    'an expired order may still have arrived for 120 s after the last sending',
    { endsInMs: 150_000, ...lost },
    { endsInMs: 150_000, after: 95_000, post: LOST, ...unknown('AA') },
    { endsInMs: 150_000, after: 50_000, ...unknown('AA', 60), kept: 'open unsigned' },
    { endsInMs: 150_000, after: 60_000, trades: FILLED, ends: 'matched', sent: 'AA', kept: 'placed' },
  ],
  [
    'where the book named no market, trades under the other token cannot be asked for: not called expired',
    {
      ...{ endsInMs: 150_000, ...lost },
      book: (_id, _index, { query }) => ({ body: bookAnswer(query.get('token_id') ?? '', { market: undefined }) }),
    },
    { endsInMs: 150_000, after: 145_000, ...unknown('A'), kept: 'open unsigned', looks: [5, 4] },
  ],
  [
    'nor once its lease has ended: the right to send is asked for before bytes leave',
    lost,
    {
      ...{ budgetMs: 90_000, ...unknown('A'), logs: ['lease ended'] },
      order: () => {
        pass(LEASE_MS);
        return NOT_FOUND;
      },
    },
  ],
  [
    'nor without the time to look it up: no byte leaves',
    { atWrite: () => pass(16_100), ends: 'venue_timeout', sent: '', kept: 'open', says: 'no order was sent' },
    { post: LOST, ...unknown('A') },
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
    { post: says('order is invalid. Duplicated.'), trades: FILLED, ends: 'matched', sent: 'AA', kept: 'placed' },
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
    lost,
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
    { post: answers({ status: 425 }), ends: 'venue_unavailable 5', sent: 'A', kept: 'open' },
    { order: BROKEN, ends: 'venue_unavailable 5', sent: 'A', kept: 'open', looks: [2, 0] },
  ],
];

/** Answers to an order that prove nothing, a kind each. */
const UNCLEAR: readonly (readonly [string, Answer])[] = [
  ['a reset', LOST],
  ['a body that breaks off', answers(CUT)],
  ['half of a JSON', answers({ body: '{"success":true,"orderID":"0x' })],
  ['an empty 200', answers({})],
  ['400 without words', answers({ status: 400, body: {} })],
  ['400 as HTML', answers(page(400))],
  ['403 of the firewall', answers(page(403))],
  ['502 of the edge', answers(page(502))],
  ['503 of the edge', answers({ ...page(503), body: '<html>Trading is currently disabled</html>' })],
  ['a redirect', answers({ status: 307, headers: { location: '/order' } })],
  ['500 with words of a refusal', says('invalid signature', 500)],
  ['503 with words of a refusal', says(CROSSES, 503)],
  ['could not insert', says("couldn't insert order")],
  ['could not run the execution', says('could not run the execution')],
  ['internal', says('internal server error', 400)],
  ['timed out', says('request timed out')],
  ['context canceled', says('context canceled')],
  ...[400, 401, 425, 429].map((status) => [`${status} delayed`, says(DELAYED, status)] as const),
  ['a refusal that shows the order', (id) => accepted(id, { success: false, errorMsg: CROSSES })],
  ['429 that shows the order', (id) => ({ status: 429, body: { error: 'Too Many Requests', orderID: id } })],
  [
    'a refusal that shows a trade',
    () => accepted('', { success: false, errorMsg: CROSSES, status: '', tradeIDs: ['t'] }),
  ],
  ['a wrong order id', () => accepted(`0x${'ee'.repeat(32)}`)],
  ['status unmatched', (id) => accepted(id, { status: 'unmatched' })],
  ['a status that we do not know', (id) => accepted(id, { status: 'parked' })],
];

const DUE = LATE_ARRIVAL_MS - 5_000;

const FAILURES: readonly Row[] = [
  [
    '1. refused at once only by a sentence that names a check made before the book',
    { post: says(BALANCE), ends: 'insufficient_balance', sent: 'A', kept: 'refused', looks: [0, 0] },
  ],
  [
    '1. a refusal has the rules of the market read again, since they may have changed; a placement has not',
    { key: null, ...live('A') },
    {
      key: null,
      asks: { price: '0.55' },
      book: COARSE,
      post: says(BALANCE),
      ends: 'insufficient_balance',
      sent: 'AB',
      kept: 'refused',
    },
    { key: null, asks: { price: '0.55' }, book: COARSE, ends: 'price_off_tick', sent: 'AB', kept: 'refused' },
  ],
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
    '2. else outcome_unknown, which says to repeat',
    { post: says(DELAYED), ...unknown('A'), looks: [5, 8], tookMs: 5_000, says: 'with the same Idempotency-Key' },
  ],
  [
    '2. found by a later look-up',
    { post: LOST, order: (id, index) => (index < 4 ? FAILED : lookedUp(id, 'LIVE')), ...live('A'), looks: [5, 6] },
  ],
  [
    '2. or by its trades, from the second look-up on',
    { post: LOST, trades: FILLED, ends: 'matched', sent: 'A', kept: 'placed', looks: [2, 1] },
  ],
  [
    '2. five seconds of the time are kept for look-ups',
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
      ...live('A'),
    },
  ],
  [
    '2. looked up no more once the time is over',
    {
      post: () => {
        pass(3_500);
        return 'reset';
      },
      ...{ budgetMs: 9_000, ...unknown('A'), looks: [4, 6], cause: 'reset' },
    },
  ],
  ['3. words that we do not know are looked up over at least 5 s', { ...inWords, looks: [5, 8], tookMs: 5_000 }],
  [
    '3. in a 200 with success:false too',
    {
      ...inWords,
      post: () => accepted('', { success: false, errorMsg: NEW_WORDS, status: '' }),
    },
  ],
  [
    '3. a 200 that does not deny success has no words to report',
    { post: () => accepted('', { errorMsg: NEW_WORDS, status: '' }), ...unknown('A') },
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
  ['3. a repeat finds it', inWords, { after: 3_000, order: SHOWN, ...live('A') }],
  [
    '3. unless all look-ups are usable, the words are not believed',
    inWords,
    { after: DUE, order: at(0, page(404)), ...inNewWords(10), cause: NEW_WORDS, looks: [5, 8] },
    { order: at(3, { status: 404, body: { message: 'no' } }), ...inNewWords(10) },
    { trades: answers(NOT_FOUND), ...inNewWords(10) },
    { trades: at(3, page(404), NO_TRADES), ...inNewWords(10) },
    { trades: (id) => ({ body: { data: [{ id: 't1', taker_order_id: id, status: 'FAILED' }] } }), ...inNewWords(10) },
    { budgetMs: 6_900, ...inNewWords(10), looks: [4, 6] },
    { trades: FILLED, ends: 'matched', sent: 'A', kept: 'placed' },
  ],
  [
    '3. words that came at a second sending count alike',
    lost,
    { after: 1_000, ...inWords, sent: 'AA' },
    { ...inNewWords(10), sent: 'AA', looks: [1, 2] },
  ],
  [
    '4. an answer with members of an accepted order is no refusal, whatever else it says',
    { post: (id) => accepted(id, { success: false, errorMsg: CROSSES }), ...unknown('A') },
  ],
  [
    '4. unmatched proves nothing, at the answer and in a look-up',
    { post: (id) => accepted(id, { status: 'unmatched' }), order: (id) => lookedUp(id, 'UNMATCHED'), ...unknown('A') },
    { order: SHOWN, ...live('A') },
  ],
  [
    '5. a refusal of a second sending proves nothing until 120 s after the last one without a provable answer',
    lost,
    { after: 1_000, post: says(BALANCE), ...unknown('AA', 114) },
    { after: DUE - 1_001, post: says(CROSSES), ...unknown('AAA', 1), looks: [2, 2] },
    { after: 1, post: says(BALANCE), ends: 'insufficient_balance', sent: 'AAAA', kept: 'refused', looks: [2, 2] },
    { ends: 'insufficient_balance replayed', sent: 'AAAA', kept: 'refused' },
  ],
  [
    '5. nor does one that frees keys',
    lost,
    { after: 1_000, post: says(WALLET_TYPE), ...unknown('AA', 114) },
    { order: SHOWN, ...live('AA') },
  ],
  [
    '5. the wait is shorter where the venue is busy for a moment',
    lost,
    { post: answers({ status: 425 }), ...unknown('AA', 5) },
    { after: DUE, post: answers({ status: 425 }), ends: 'venue_unavailable 5', sent: 'AAA', kept: 'open' },
  ],
  [
    '5. another sending without an answer begins the time again',
    lost,
    { after: DUE - 1, post: LOST, ...unknown('AA') },
    { after: DUE - 1, post: says(BALANCE), ...unknown('AAA', 1) },
    { after: 1, post: says(BALANCE), ends: 'insufficient_balance', sent: 'AAAA', kept: 'refused' },
  ],
  [
    '5. the time is over before the sending whose refusal counts: the process may stand still before it reads it',
    lost,
    {
      after: DUE - 1_000,
      post: () => {
        pass(1_000);
        return { status: 400, body: { error: BALANCE } };
      },
      ...unknown('AA', 1),
    },
    { post: says(BALANCE), ends: 'insufficient_balance', sent: 'AAA', kept: 'refused' },
  ],
  [
    '5. a crashed process may have sent until the end of its lease',
    { held: 'begins', ends: 'begun', sent: 'A', kept: 'open' },
    { restarts: {}, after: LEASE_MS, post: says(BALANCE), ...unknown('AA', 120) },
    { after: LATE_ARRIVAL_MS - 1, post: says(BALANCE), ...unknown('AAA', 1) },
    { after: 1, post: says(BALANCE), ends: 'insufficient_balance', sent: 'AAAA', kept: 'refused' },
    { held: 'arrives', ...live('AAAA'), logs: [CONTRADICTED] },
  ],
  [
    '5. refused at once where every earlier sending was provably not taken',
    { post: answers({ status: 429 }), ends: 'rate_limited 1', sent: 'A', kept: 'open' },
    { post: says(BALANCE), ends: 'insufficient_balance', sent: 'AA', kept: 'refused', looks: [2, 2] },
  ],
  [
    '5. unless a look-up finds the order: its own fill, or the order itself, is the reason of the refusal',
    lost,
    { after: DUE, post: says(BALANCE), trades: BROKEN, ...unknown('AA'), says: 'may be live' },
    { post: says(BALANCE), trades: answers({ body: { data: [], next_cursor: 'again' } }), ...unknown('AAA') },
    { post: says(BALANCE), order: (id, index) => (index === 0 ? NOT_FOUND : lookedUp(id, 'LIVE')), ...live('AAAA') },
  ],
  [
    '5. by its trades alone',
    lost,
    { after: DUE, post: says(BALANCE), trades: FILLED, ends: 'matched', sent: 'AA', kept: 'placed' },
  ],
  [
    '6. a placement is stored over a refusal, with an error line',
    { held: 'begins', ends: 'begun', sent: 'A', kept: 'open' },
    {
      ...{ after: LEASE_MS + LATE_ARRIVAL_MS, post: says(BALANCE) },
      ...{ ends: 'insufficient_balance', sent: 'AA', kept: 'refused' },
    },
    { held: 'arrives', ...live('AA'), logs: [CONTRADICTED] },
    replayed('AA'),
  ],
  ...[['refused', says(BALANCE)] as const, ['not taken', answers({ status: 425 })] as const].map(
    ([what, post]): Row => [
      `6. whoever is ${what} after another request has placed the order gets the placement`,
      { held: 'begins', post, ends: 'begun', sent: 'A', kept: 'open' },
      { after: LEASE_MS, ...live('AA') },
      { held: 'arrives', ...replayed('AA') },
    ],
  ),
];

const rowsOf = (rows: readonly Row[]) => rows.map(([sentence, ...steps]) => [sentence, steps] as const);

describe.each(Object.entries(STORES))('over %s', (_store, open) => {
  let opened: { readonly store: OrderStore; readonly close: () => Promise<unknown> };
  beforeAll(async () => {
    opened = await open();
    jest.spyOn(Date, 'now').mockImplementation(() => time.wall);
    jest.spyOn(performance, 'now').mockImplementation(() => time.uptime);
  });
  afterAll(async () => {
    jest.restoreAllMocks();
    await opened.close();
  });

  describe.each([
    ['exactly one order for a key', ONE_ORDER],
    ['sent once', SENT_ONCE],
    ['a failure never lies', FAILURES],
  ])('%s', (_section, rows) => {
    it.each(rowsOf(rows))('%s', async (_sentence, steps) => {
      const { found, unstored } = await play(opened.store, steps, pass);
      expect(found).toStrictEqual(expected(steps));
      // The signed order is stored before it is sent.
      expect(unstored).toStrictEqual([]);
    });
  });
});

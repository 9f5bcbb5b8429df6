import { LATE_ARRIVAL_MS, SEND_MS } from '../../../shared/limits.ts';
import type { VenueHttpRequest } from '../../../shared/venue/polymarket/http/transport.ts';
import type { Random } from '../../../tools/support/random.ts';
import { bookAnswer } from '../venue/book-answers.ts';
import type { HttpReply } from '../venue/scripted-venue.ts';
import type { Witness } from './storm-witness.ts';
import { accepted, lookedUp, NOT_FOUND, TOKEN } from './trading-world.ts';
import type { Passage, VirtualTime, VirtualVenue } from './virtual-time.ts';

/** Look-ups may not show an order for this time. */
const LAG_MS = 8_000;
/** The longest way of an order: look-ups show it before a refusal may be final. */
const LATEST_MS = LATE_ARRIVAL_MS - LAG_MS - 1_000;

const says = (status: number, error: string): HttpReply => ({ status, body: { error } });
const page = (status: number): HttpReply => ({ status, body: '<html>' });

/** Answers that prove that an order was not taken: for good, or this time. */
const NO: readonly HttpReply[] = [
  says(400, 'not enough balance / allowance'),
  says(400, 'invalid post-only order: order crosses book'),
  says(400, 'invalid order payload'),
  says(425, 'service not ready'),
  says(429, 'Too Many Requests'),
  says(503, 'Trading is currently disabled. Check polymarket.com for updates'),
  says(401, 'Unauthorized/Invalid api key'),
  says(400, 'maker address not allowed, please use the deposit wallet flow'),
  says(404, 'market not found'),
];
/** Answers that prove nothing, also in words that are not known. */
const NEITHER: readonly HttpReply[] = [
  says(400, 'order timed out'),
  says(400, 'order match delayed due to market conditions'),
  says(500, 'internal error'),
  says(400, 'order accepted for asynchronous processing'),
  { body: { success: false, errorMsg: 'held for a review' } },
  page(502),
  page(200),
];

/** An order that the venue has taken. */
interface Taken {
  /** Look-ups do not show it before. */
  readonly shownAt: number;
  readonly isFilled: boolean;
}

/** A venue that answers in every way, takes orders late, and forgets those that are filled. */
export class StormVenue implements VirtualVenue {
  readonly #taken = new Map<string, Taken>();
  /** The milliseconds by which its clock is ahead. */
  clockError = 0;
  /** Nothing goes wrong any more. */
  isCalm = false;
  readonly #time: VirtualTime;
  readonly #random: Random;
  readonly #witness: Witness;
  /** How often it takes an order, and how it refuses one: each storm has a venue of its own. */
  readonly #takes: number;
  readonly #refusals: readonly HttpReply[];
  /** The longest usual way. */
  readonly #wayMs: number;
  /** How often a request or an answer does not come through. */
  readonly #losses: number;

  constructor(time: VirtualTime, random: Random, witness: Witness) {
    this.#time = time;
    this.#random = random;
    this.#witness = witness;
    this.#takes = random.pick([0.1, 0.3, 0.6]);
    this.#wayMs = random.pick([50, 500, 2_500]);
    this.#losses = random.pick([0.05, 0.4, 0.8]);
    this.#refusals = random.pick([NO.slice(0, 3), [random.pick(NO), random.pick(NO), ...NO.slice(6)]]);
  }

  date(): string {
    return new Date(this.#time.now + this.clockError).toUTCString();
  }

  passageOf({ method, body = '' }: VenueHttpRequest): Passage {
    const random = this.#random;
    const wayMs = this.isCalm ? 50 : this.#wayMs;
    const [there, back] = [random() * wayMs, random() * wayMs];
    const isPost = method === 'POST';
    if (isPost) this.#witness.sends(body);
    if (this.isCalm || random() > this.#losses / (isPost ? 1 : 4)) return { there, back };
    const [never, ms] = [Number.POSITIVE_INFINITY, there + back];
    // Rather late: the time after which a refusal is final is the one to meet.
    const late = Math.sqrt(random()) * LATEST_MS;
    return random.pick<Passage>([
      { there: never, back, instead: { ms, reply: 'unsent' } },
      { there: never, back },
      { there, back: never, instead: { ms, reply: 'reset' } },
      { there, back: never },
      { there: random() * SEND_MS, back },
      ...(isPost
        ? [
            { there: late, back: never },
            { there: late, back: never, instead: { ms, reply: page(504) } },
          ]
        : []),
    ]);
  }

  answer({ method, path, body = '' }: VenueHttpRequest): HttpReply {
    if (method === 'POST') return this.#receive(body);
    if (!this.isCalm && this.#random() < 0.05) return this.#random.pick([page(502), says(500, 'internal error')]);
    if (path.startsWith('/book')) return { body: bookAnswer(TOKEN) };
    if (path.startsWith('/time')) return { body: Math.floor((this.#time.now + this.clockError) / 1_000) };
    if (path.startsWith('/data/trades')) return { body: { data: this.#trades(), next_cursor: 'LTE=' } };
    const orderId = path.replace('/data/order/', '');
    const order = this.#shown().find(([id]) => id === orderId)?.[1];
    return order && !order.isFilled ? lookedUp(orderId, 'LIVE') : this.#random.pick([NOT_FOUND, { body: null }]);
  }

  #shown() {
    return [...this.#taken].filter(([, { shownAt }]) => shownAt <= this.#time.now);
  }

  #trades(): readonly object[] {
    return this.#shown().flatMap(([taker_order_id, { isFilled }]) =>
      isFilled ? [{ id: `t-${taker_order_id}`, status: 'MATCHED', taker_order_id, size: '1', maker_orders: [] }] : [],
    );
  }

  #receive(body: string): HttpReply {
    const orderId = this.#witness.idOf(body);
    const random = this.#random;
    const chance = this.isCalm ? 0 : random();
    const isKnown = this.#taken.has(orderId);
    // It may check the balance, and more, before it knows an order again.
    if (chance > this.#takes + 0.1) return random.pick(this.#refusals);
    if (isKnown) return says(400, 'order is invalid. Duplicated.');
    const isFilled = random() < 0.5;
    const status = isFilled ? 'matched' : random.pick(['live', 'delayed']);
    const take = (lagMs: number) => {
      const { now } = this.#time;
      this.#taken.set(orderId, { shownAt: now + Math.max(random() - 0.5, 0) * 2 * lagMs, isFilled });
      this.#witness.taken(orderId, body);
    };
    if (chance < this.#takes) {
      take(LAG_MS);
      return accepted(orderId, { status });
    }
    // Such an answer names the order, which look-ups show soon.
    const isLie = random() < 0.1;
    if (isLie || random() < 0.5) take(isLie ? 1_000 : LAG_MS);
    return isLie ? accepted(orderId, { success: false, errorMsg: 'order crosses book', status }) : random.pick(NEITHER);
  }
}

import * as z from 'zod';
import { hashed } from '../exchange/book-view.ts';
import { json, type PaperRequest, parsedBody, type Reply } from '../http/router.ts';
import { type Delivery, whole } from '../http/transport.ts';
import { refusedAnswer } from '../rules/order-payload.ts';
import type { Fault } from './faults.ts';

/** Any JSON object, with its members in their order: a schema of named members would put those first. */
const members = z.record(z.string(), z.unknown());
const levels = z.array(z.object({ price: z.string(), size: z.string() }));
const book = z.object({ hash: z.string(), bids: levels, asks: levels, version: z.string().optional() });
const allowances = z.object({ allowances: z.record(z.string(), z.string()) });
const balance = z.object({ balance: z.string() });
const markets = z.object({ markets: z.array(z.looseObject({})) });

type Change = (reply: Reply, text: string | undefined) => Reply;

/**
 * Creates a change of some members of an answer that fits the schema; the members keep their order. Any other answer, such
 * as a refusal, stays as it is.
 */
function changing<T>(schema: z.ZodType<T>, change: (answer: T, text: string | undefined) => object): Change {
  return (reply, text) => {
    const body = parsedBody(reply.body);
    const answer = schema.safeParse(body);
    if (!answer.success) return reply;
    return { ...reply, body: JSON.stringify({ ...members.parse(body), ...change(answer.data, text) }) };
  };
}

/** Creates a change of a book whose hash fits the changed book. */
function rehashing(change: (answer: z.infer<typeof book>) => object): Change {
  const changed = changing(book, change);
  const rehashed = changing(members, (answer) => hashed({ ...answer, hash: '' }));
  return (reply) => {
    const other = changed(reply, undefined);
    return other === reply ? reply : rehashed(other, undefined);
  };
}

/** Moves the first level of a book off every tick grid. */
function withLevelOffTick({ bids, asks }: z.infer<typeof book>) {
  const moved = (side: z.infer<typeof levels>) =>
    side.map((level, index) => (index === 0 ? { ...level, price: `${level.price}00005` } : level));
  return { bids: moved(bids), asks: moved(asks) };
}

const UNTRUE: Readonly<Record<string, Change>> = {
  'geoblock-country': (_reply, text = 'GB') => {
    const [country = '', region = ''] = text.split('-');
    return json({ blocked: true, ip: '203.0.113.7', country, region });
  },
  'no-funds': changing(balance, () => ({ balance: '0' })),
  'missing-approval': changing(allowances, ({ allowances }) => {
    const [first = ''] = Object.keys(allowances);
    return { allowances: { ...allowances, [first]: '0' } };
  }),
  'unusable-market': changing(markets, ({ markets: [first, ...others] }) => ({
    markets: first === undefined ? [] : [{ ...first, version: 'v1', clobTokenIds: '["0x1f", "0x2f"]' }, ...others],
  })),
  'bad-book-hash': changing(book, () => ({ hash: 'da39a3ee5e6b4b0d3255bfef95601890afd80709' })),
  'off-tick-level': rehashing(withLevelOffTick),
  'other-book-version': rehashing(({ version }) => ({ version: version === undefined ? 'v2' : 'v1' })),
};

/** Changes the fact that a fault is about; answers without that fact stay as they are. */
function untrue({ fault, text }: Fault, reply: Reply): Reply {
  return UNTRUE[fault]?.(reply, text) ?? reply;
}

const postOnlyBody = z.object({ postOnly: z.literal(true) });
const orderAnswer = z.looseObject({ tradeIDs: z.array(z.string()), status: z.string() });

function html(status: number, title: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = `<html><head><title>${title}</title></head><body><center><h1>${title}</h1></center></body></html>`;
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8', ...headers }, body };
}

function error(status: number, text: string, retryAfter?: number): Reply {
  return json({ error: text }, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

type Received = Pick<PaperRequest, 'method' | 'body'>;

function postOnlyMode(seconds: number, request: Received): Reply | undefined {
  const body = parsedBody(request.body);
  const orders = Array.isArray(body) ? body : [body];
  const passes = request.method !== 'POST' || orders.every((order) => postOnlyBody.safeParse(order).success);
  if (passes) return undefined;
  const text = 'post-only mode: only post-only orders and cancels are allowed';
  const members = { error: text, code: 'post_only_mode', retry_after_seconds: seconds };
  return json(members, 503, { 'retry-after': String(seconds) });
}

const REGION =
  'Trading restricted in your region, please refer to available regions - https://docs.polymarket.com/api-reference/geoblock';

/** Sentence of an order that the venue may have taken. */
const DELAYED = 'order match delayed due to market conditions';

/** The answers of faults that only answer. */
const ANSWERS: Readonly<Record<string, (fault: Fault) => Reply>> = {
  restart: ({ retry_after = 1 }) => ({ status: 425, headers: { 'retry-after': String(retry_after) }, body: '' }),
  'rate-limit': ({ retry_after = 1 }) => error(429, 'Too Many Requests', retry_after),
  'rate-limit-html': ({ retry_after = 1 }) =>
    html(429, '429 Too Many Requests', { 'retry-after': String(retry_after) }),
  'error-500': ({ text = 'Internal server error' }) => error(500, text),
  'edge-502': () => html(502, '502 Bad Gateway'),
  'edge-503': () => html(503, '503 Service Temporarily Unavailable'),
  late: () => html(504, '504 Gateway Time-out'),
  halted: () => error(503, 'Trading is currently disabled. Check polymarket.com for updates'),
  'cancel-only': () =>
    error(503, 'Trading is currently cancel-only. New orders are not accepted, but cancels are allowed.'),
  region: () => error(403, REGION),
  firewall: () => html(403, 'Attention Required! | Cloudflare'),
  unauthorized: () => error(401, 'Unauthorized/Invalid api key'),
  redirect: () => ({ status: 307, headers: { location: '/ok' }, body: '' }),
  refuse: ({ code, text = 'invalid nonce' }) => error(code, text),
  'success-with-error': ({ text = 'not enough balance / allowance' }) => json(refusedAnswer(text)),
};

/** Plays a fault in place of the request, or before a late one; undefined for one that lets it be processed. */
export function faultBefore(fault: Fault, request: Received): Delivery | undefined {
  if (fault.fault === 'hang' || fault.fault === 'reset') return { kind: fault.fault };
  if (fault.fault === 'late' && fault.answer === 'none') return { kind: 'hang' };
  const reply =
    fault.fault === 'post-only-mode' ? postOnlyMode(fault.retry_after ?? 120, request) : ANSWERS[fault.fault]?.(fault);
  return reply && whole(reply);
}

function withMembers(reply: Reply, change: (answer: z.infer<typeof orderAnswer>) => object): Reply {
  const answer = orderAnswer.safeParse(parsedBody(reply.body));
  return answer.success ? { ...reply, body: JSON.stringify(change(answer.data)) } : reply;
}

/** Spoils the answer to a processed request; `hide` gets the trades that are to show no transaction hash. */
export function faultAfter(fault: Fault, reply: Reply, hide: (tradeIds: readonly string[]) => void): Delivery {
  switch (fault.fault) {
    case 'hang-after':
      return { kind: 'hang' };
    case 'reset-after':
      return { kind: 'reset' };
    case 'delay-after':
      return whole(reply, fault.ms);
    case 'error-500-after':
      return whole(error(500, fault.text ?? 'could not insert order'));
    case 'refuse-after':
      return whole(error(fault.code, fault.text ?? DELAYED));
    case 'success-false':
      return whole(
        withMembers(reply, (answer) => {
          const { text: errorMsg = DELAYED, status = answer.status } = fault;
          return { ...answer, errorMsg, status, success: false };
        }),
      );
    case 'edge-502-after':
      return whole(html(502, '502 Bad Gateway'));
    case 'truncated':
      return whole({ ...reply, body: reply.body.slice(0, Math.floor(reply.body.length / 2)) });
    case 'cut':
      return { kind: 'cut', reply };
    case 'wrong-type':
      return whole({ ...reply, headers: { ...reply.headers, 'content-type': 'text/plain' } });
    case 'oversize':
      return whole({ ...reply, body: reply.body + ' '.repeat(fault.bytes) });
    case 'no-hash':
      return whole(
        withMembers(reply, ({ transactionsHashes: _unsettled, ...answer }) => {
          hide(answer.tradeIDs);
          return answer;
        }),
      );
    case 'status':
      return whole(withMembers(reply, (answer) => ({ ...answer, status: fault.text ?? 'unmatched' })));
    default:
      return whole(untrue(fault, reply));
  }
}

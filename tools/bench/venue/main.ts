import { createServer } from 'node:http';
import { keccak256, TypedDataEncoder } from 'ethers';
import { DOMAINS } from '../../../packages/paper-venue/rules/signing.ts';
import { hashOrder } from '../../../shared/venue/polymarket/sign-order.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { answerAccount } from './account.ts';
import { BOOK, CREDENTIALS, MARKETS, TOKEN_ID } from './records.ts';

/**
 * The venue of a benchmark, in a process of its own: the endpoints that an order and two reads need, with prepared
 * answers and no checks. The argument is the time of an answer in milliseconds.
 */
const DERIVED = JSON.stringify({ apiKey: CREDENTIALS.key, ...CREDENTIALS });

const ANSWERS: Readonly<Record<string, string>> = {
  [`/book?token_id=${TOKEN_ID}`]: BOOK,
  '/auth/derive-api-key': DERIVED,
  '/auth/api-key': DERIVED,
  '/version': '{"version":2}',
  [`/tick-size?token_id=${TOKEN_ID}`]: '{"minimum_tick_size":0.01}',
  [`/neg-risk?token_id=${TOKEN_ID}`]: '{"neg_risk":false}',
};

const delay = Number(process.argv[2]);
const DOMAIN = TypedDataEncoder.hashDomain(DOMAINS.plain).slice(2);

/** Computes the id of a posted order, which the service compares with its own. */
function orderIdOf(body: string): string {
  const { order } = JSON.parse(body);
  const hash = hashOrder({ ...order, salt: String(order.salt), side: order.side === 'BUY' ? 'buy' : 'sell' });
  return keccak256(Buffer.from(`1901${DOMAIN}${hash.slice(2)}`, 'hex'));
}

function answerOrder(body: string): string {
  const rest = '"status":"live","transactionsHashes":[],"tradeIDs":[]';
  return `{"success":true,"errorMsg":"","orderID":"${orderIdOf(body)}",${rest}}`;
}

/** The longest chain of requests in which each began after the one before ended. */
let depth = 0;
let requests = 0;

function answerOf(url: string, body: string): string | undefined {
  if (url === '/order') return answerOrder(body);
  if (url === '/bench/depth') return String(depth);
  if (url === '/bench/requests') return String(requests);
  const ofAccount = answerAccount(url);
  if (ofAccount !== undefined) return ofAccount;
  return url.startsWith('/markets/keyset?') ? MARKETS : ANSWERS[url];
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const { url = '' } = request;
  const place = depth + 1;
  const chunks: Buffer[] = [];
  const act = () => {
    const body = answerOf(url, Buffer.concat(chunks).toString('utf8'));
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body ?? '') };
    response.writeHead(body === undefined ? 404 : 200, headers).end(body);
    if (url.startsWith('/bench/')) return;
    depth = Math.max(depth, place);
    requests += 1;
  };
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => (delay === 0 ? act() : setTimeout(act, delay)));
});
process.stdout.write(`${await listenOnLoopback(server)}\n`);

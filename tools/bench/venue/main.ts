import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { keccak256, TypedDataEncoder } from 'ethers';
import * as z from 'zod/mini';
import { hashOrder } from '../../../shared/venue/polymarket/sign-order.ts';
import { listenOnLoopback } from '../../support/loopback.ts';
import { bookOf, marketPage, TOKEN_ID, TOKEN_IDS } from './records.ts';

/**
 * The venue of a benchmark, in a process of its own: the endpoints that an order and two reads need, with prepared
 * answers and no checks. The argument is the time of an answer in milliseconds.
 */
const CREDENTIALS = JSON.stringify({ apiKey: 'bench-key', secret: 'YmVuY2gtc2VjcmV0LWJlbmNo', passphrase: 'bench' });

const ANSWERS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(TOKEN_IDS.map((token) => [`/book?token_id=${token}`, bookOf(token)])),
  '/auth/derive-api-key': CREDENTIALS,
  '/auth/api-key': CREDENTIALS,
  '/version': '{"version":2}',
  [`/tick-size?token_id=${TOKEN_ID}`]: '{"minimum_tick_size":0.01}',
  [`/neg-risk?token_id=${TOKEN_ID}`]: '{"neg_risk":false}',
};

const delay = Number(process.argv[2]);
const posted = z.object({
  order: z.object({
    salt: z.number(),
    maker: z.string(),
    signer: z.string(),
    tokenId: z.string(),
    makerAmount: z.string(),
    takerAmount: z.string(),
    side: z.string(),
    signatureType: z.number(),
    timestamp: z.string(),
    metadata: z.string(),
    builder: z.string(),
  }),
});

const DOMAIN = TypedDataEncoder.hashDomain({
  name: 'Polymarket CTF Exchange',
  version: '2',
  chainId: 137,
  verifyingContract: '0xE111180000d2663C0091e4f400237545B87B996B',
}).slice(2);

/** Computes the id of a posted order, which the service compares with its own. */
function orderIdOf(body: string): string {
  const { order } = posted.parse(JSON.parse(body));
  const side = order.side === 'BUY' ? 'buy' : 'sell';
  const hash = hashOrder({ ...order, salt: String(order.salt), side });
  return keccak256(Buffer.from(`1901${DOMAIN}${hash.slice(2)}`, 'hex'));
}

/** One request as the venue saw it, in milliseconds. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Counts the longest chain of requests in which each begins after the one before ended. */
function sequentialDepth(spans: readonly Span[]): number {
  let [depth, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of spans.toSorted((a, b) => a.to - b.to)) {
    if (from < end) continue;
    [depth, end] = [depth + 1, to];
  }
  return depth;
}

/** The requests since the depth was asked for; a long load must not fill the memory. */
const MAX_SPANS = 1_000;
let spans: Span[] = [];

function answerOrder(body: string): string {
  const rest = '"status":"live","transactionsHashes":[],"tradeIDs":[]';
  return `{"success":true,"errorMsg":"","orderID":"${orderIdOf(body)}",${rest}}`;
}

function depthSinceLast(): string {
  const depth = sequentialDepth(spans);
  spans = [];
  return String(depth);
}

function answerOf(url: string, body: string): string | undefined {
  if (url === '/order') return answerOrder(body);
  if (!url.startsWith('/markets/keyset?')) return ANSWERS[url];
  return marketPage(Number(new URLSearchParams(url.split('?')[1]).get('limit') ?? 20));
}

function send(response: ServerResponse, text: string | undefined, from: number): void {
  const body = text ?? '{"error":"not found"}';
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  response.writeHead(text === undefined ? 404 : 200, headers).end(body);
  if (spans.length < MAX_SPANS) spans.push({ from, to: performance.now() });
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request;
  const from = performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (url === '/bench/depth') {
      response.end(depthSinceLast());
      return;
    }
    const act = () => send(response, answerOf(url, Buffer.concat(chunks).toString('utf8')), from);
    if (delay === 0) act();
    else setTimeout(act, delay);
  });
}

process.stdout.write(`${await listenOnLoopback(createServer({ keepAliveTimeout: 60_000 }, receive))}\n`);

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../support/loopback.ts';
import { type Span, sequentialDepth } from './depth.ts';
import { orderIdOf } from './order-id.ts';
import { bookOf, marketPage, TOKEN_ID, TOKEN_IDS } from './records.ts';

/**
 * The venue of a benchmark: the endpoints that an order and two reads need, answers made ahead, nothing checked. It
 * runs in a process of its own and is told what to do through `/bench/…`.
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

const pages = new Map<string, string>();
let delay = 0;
let spans: Span[] = [];

function page(url: string): string {
  const made = pages.get(url);
  if (made !== undefined) return made;
  const query = new URLSearchParams(url.split('?')[1]);
  const text = marketPage(Number(query.get('after_cursor') ?? 0), Number(query.get('limit') ?? 20));
  pages.set(url, text);
  return text;
}

function answerOrder(body: string): string {
  const rest = '"status":"live","transactionsHashes":[],"tradeIDs":[]';
  return `{"success":true,"errorMsg":"","orderID":"${orderIdOf(body)}",${rest}}`;
}

function control(url: string): string {
  const [path, value = ''] = url.split('=');
  if (path === '/bench/delay') delay = Number(value);
  const counts = { requests: spans.length, depth: sequentialDepth(spans) };
  spans = [];
  return JSON.stringify(counts);
}

function send(response: ServerResponse, status: number, text: string, from: number): void {
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
  // Enough for what is counted; a long load must not fill the memory.
  if (spans.length < 1_000) spans.push({ from, to: performance.now() });
}

function answerOf(url: string, body: string): string | undefined {
  if (url === '/order') return answerOrder(body);
  return url.startsWith('/markets/keyset?') ? page(url) : ANSWERS[url];
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const { url = '' } = request;
  const from = performance.now();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (url.startsWith('/bench/')) {
      response.end(control(url));
      return;
    }
    const act = () => {
      const text = answerOf(url, Buffer.concat(chunks).toString('utf8'));
      send(response, text === undefined ? 404 : 200, text ?? '{"error":"not found"}', from);
    };
    if (delay === 0) act();
    else setTimeout(act, delay);
  });
}

process.stdout.write(`${await listenOnLoopback(createServer({ keepAliveTimeout: 60_000 }, receive))}\n`);

import { z } from 'zod';
import { compareDecimals, type Decimal, multiplyDecimals, parseDecimal, ZERO } from '../../shared/decimal.ts';
import type { Secret } from '../../shared/secret.ts';
import { type Answer, codeOf, describeAnswer, isOfGateway } from './answer.ts';
import { type Ask, createAsk, type FetchLike } from './ask.ts';
import type { Edge, Sample, World } from './check.ts';
import { loadContract } from './document.ts';
import { createSigningClient } from './signing.ts';

const health = z.object({ mode: z.enum(['read-only', 'order-placing']) });
const markets = z.object({
  items: z.array(z.object({ question: z.string().nullable(), outcomes: z.array(z.object({ token_id: z.string() })) })),
});
const book = z.object({
  asks: z.array(z.object({ price: z.string() })),
  tick_size: z.string(),
  min_order_size: z.string(),
});

/** Ticks between the lowest price and the best ask: an order at the former is far from the market. */
const FAR = 10n;

function decimal(text: string): Decimal {
  return parseDecimal(text) ?? ZERO;
}

function isFar({ asks, tick_size }: z.output<typeof book>): boolean {
  const [best] = asks;
  const far = multiplyDecimals(decimal(tick_size), { coefficient: FAR, scale: 0 });
  return best !== undefined && compareDecimals(decimal(best.price), far) > 0;
}

async function sampleFrom(ask: Ask, tokenId: string, question: string): Promise<Sample | undefined> {
  const answer = await ask({ operation: 'book', target: `/v1/book/${tokenId}` });
  const found = answer.status === 200 ? book.parse(answer.body) : undefined;
  if (!found || !isFar(found)) return undefined;
  return { tokenId, question, tickSize: found.tick_size, minOrderSize: found.min_order_size };
}

/** Finds out what kind of service it is, and a market to look at. Throws a sentence where it cannot. */
async function survey(ask: Ask): Promise<Pick<World, 'mode' | 'sample'>> {
  const status = await ask({ operation: 'health', target: '/health' });
  const { mode } = health.parse(status.body);
  const listed = await ask({ operation: 'markets', target: '/v1/markets?limit=20' });
  if (listed.status !== 200) throw new Error(`the markets cannot be read: ${describeAnswer(listed)}`);
  for (const { question, outcomes } of markets.parse(listed.body).items) {
    for (const { token_id } of outcomes) {
      const sample = await sampleFrom(ask, token_id, question ?? 'a market without a question');
      if (sample) return { mode, sample };
    }
  }
  throw new Error('none of the 20 most traded markets has a price far from the market');
}

/** Credentials with which every request is sent. */
export type Credentials = 'none' | 'signature' | 'token';

/** Returns a sentence on why the gateway keeps orders back; `undefined` if it does not. */
function whyKeptBack(answer: Answer, credentials: Credentials): string | undefined {
  if (!isOfGateway(answer) || (answer.status !== 401 && answer.status !== 403)) return undefined;
  if (credentials === 'token') return 'The gateway refused the token: check its issuer, audience, scopes and expiry.';
  if (answer.status === 401) return 'The gateway takes orders only with a token of its issuer: use --token-file.';
  if (credentials === 'none') return 'The gateway takes only orders that are signed with AWS credentials: use --sign.';
  return 'The gateway refused the signature: are the region and the account right, and may the caller execute-api:Invoke?';
}

/**
 * Finds out, with an order for a token that does not exist, whether orders reach the service, and whether it
 * verifies its clients.
 */
async function surveyOrders(ask: Ask, mode: World['mode'], credentials: Credentials) {
  if (mode === 'read-only') return { ordersKeptBack: undefined, wantsSignatures: false };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ token_id: '1', side: 'buy', price: '0.01', size: '5', post_only: true });
  const asked = ask({ operation: 'orders', method: 'POST', target: '/v1/orders', headers, body });
  // An answer that is not as documented is what the checks are there to find.
  const answer = await asked.catch(() => undefined);
  return {
    ordersKeptBack: answer && whyKeptBack(answer, credentials),
    wantsSignatures: JSON.stringify(answer?.body ?? null).includes('"field":"X-Client-Address"'),
  };
}

/** A service, and how to reach it. */
export interface Address {
  /** Without trailing slash. */
  readonly baseUrl: string;
  readonly fetch?: FetchLike;
  readonly edge: Edge;
  readonly credentials?: Credentials;
  /** The private key of a client that may order; default: one that is made. */
  readonly clientKey?: Secret | undefined;
  /** Gets a sentence on each answer that is a 5xx. */
  readonly onFault?: (sentence: string) => void;
}

/** Opens the world of a service; `seen` gets `operation status code` of each of its answers. Rejects without a market. */
export async function openWorld(address: Address, seen: Set<string>): Promise<World> {
  const { baseUrl, fetch = globalThis.fetch, edge, credentials = 'none', clientKey, onFault } = address;
  const contract = loadContract();
  const note = (operation: string, answer: Answer) => {
    const code = codeOf(answer);
    seen.add([operation, answer.status, ...(code ? [code] : [])].join(' '));
    if (answer.status >= 500) onFault?.(`${operation} ${describeAnswer(answer)}`);
  };
  const askAsItIs = createAsk({ baseUrl, fetch, contract, edge, note });
  const { mode, sample } = await survey(askAsItIs);
  const { ordersKeptBack, wantsSignatures } = await surveyOrders(askAsItIs, mode, credentials);
  const client = wantsSignatures ? createSigningClient(askAsItIs, clientKey) : undefined;
  return { baseUrl, ask: client?.ask ?? askAsItIs, contract, edge, mode, sample, ordersKeptBack, client, note };
}

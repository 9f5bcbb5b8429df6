import assert from 'node:assert/strict';
import { codeOf, expectProblem } from '../ask.ts';
import { type Check, isReadOnly, placesOrders, type World } from '../check.ts';
import type { Answer } from '../contract.ts';
import { STRANGER } from './everywhere.ts';

/**
 * An order that no adapter, however broken, can place: its token does not exist. What is wrong with it besides that is
 * answered first.
 */
export const NOWHERE = { token_id: '1', side: 'buy', price: '0.01', size: '5', post_only: true } as const;

/** The headers of a JSON body. */
export const JSON_TYPE = { 'content-type': 'application/json' } as const;
const MAX_BODY_BYTES = 16_384;

interface Sending {
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends an order. */
export function post(
  { ask }: World,
  { query = '', headers = JSON_TYPE, body = JSON.stringify(NOWHERE) }: Sending,
): Promise<Answer> {
  return ask({ operation: 'orders', method: 'POST', target: `/v1/orders${query}`, headers, body });
}

/** Expects the answer to `NOWHERE`: its token is unknown, or its client, unless the operator gave one that may order. */
export function expectNowhere(answer: Answer, isListed: boolean): void {
  if (isListed || codeOf(answer) !== 'client_not_allowed') expectProblem(answer, 'unknown_token');
}

/** The body with one member changed; `undefined` leaves it out. */
function changed(member: string, value: unknown): string {
  return JSON.stringify({ ...NOWHERE, [member]: value });
}

const WRONG_MEMBERS: readonly (readonly [field: string, body: string])[] = [
  ...['token_id', 'side', 'price', 'size'].map((name) => [name, changed(name, undefined)] as const),
  ['token_id', changed('token_id', 1)],
  ['token_id', changed('token_id', '01')],
  ['side', changed('side', 'hold')],
  ['side', changed('side', '')],
  ['price', changed('price', '1e-2')],
  ['price', changed('price', '.5')],
  ['price', changed('price', true)],
  ['price', changed('price', '0.01').replace('"0.01"', '1e400')],
  ['size', changed('size', '')],
  ['size', changed('size', null)],
  ['size', changed('size', '1000000001')],
  ['post_only', changed('post_only', 'true')],
  ['post_onl', changed('post_onl', true)],
  ['expires_at', changed('expires_at', null)],
  ['expires_at', changed('expires_at', '2030-01-01T00:00:00.000Z')],
  ['expires_at', changed('expires_at', '2030-01-01T00:00:00+00:00')],
  ['body', 'null'],
  ['body', '[]'],
  ['body', '"order"'],
  ['body', '{"token_id"'],
  ['body', ' '],
];

/** An order of exactly so many bytes, filled with a member that is refused. */
function orderOfBytes(bytes: number): string {
  const empty = changed('padding', '');
  return changed('padding', 'x'.repeat(bytes - empty.length));
}

/** Without a check of clients all may order. */
const isListed = ({ client }: World): boolean => client?.isListed !== false;

const IN_PLACING_MODE: readonly Omit<Check, 'group'>[] = [
  {
    name: 'have no query',
    run: async (world) => {
      expectProblem(await post(world, { query: '?dry_run=true' }), 'invalid_request', 'dry_run');
      expectNowhere(await post(world, { query: '?' }), isListed(world));
    },
  },
  {
    name: 'want application/json in UTF-8, not compressed',
    run: async (world) => {
      const refused = [
        { 'content-type': 'text/plain' },
        { 'content-type': 'application/json; charset=latin1' },
        { 'content-type': 'application/problem+json' },
        { ...JSON_TYPE, 'content-encoding': 'gzip' },
      ];
      for (const headers of refused) expectProblem(await post(world, { headers }), 'unsupported_media_type');
      // Bytes: `fetch` names no type for them.
      const body = new TextEncoder().encode(JSON.stringify(NOWHERE));
      expectProblem(await post(world, { headers: {}, body }), 'unsupported_media_type');
    },
  },
  {
    name: 'are at most 16384 bytes',
    run: async (world) => {
      expectProblem(await post(world, { body: orderOfBytes(MAX_BODY_BYTES) }), 'invalid_request', 'padding');
      expectProblem(await post(world, { body: orderOfBytes(MAX_BODY_BYTES + 1) }), 'payload_too_large');
    },
  },
  {
    name: 'name every wrong member',
    run: async (world) => {
      for (const [field, body] of WRONG_MEMBERS) expectProblem(await post(world, { body }), 'invalid_request', field);
    },
  },
  {
    name: 'want printable ASCII of a bounded length in their headers, and none of them twice',
    run: async (world) => {
      const refused = [
        ['Idempotency-Key', 'x'.repeat(256)],
        ['Idempotency-Key', '\u00e9'],
        // A repeated header comes out of a gateway like this.
        ['Idempotency-Key', 'a,a'],
        ['Content-Type', 'application/json,application/json'],
      ] as const;
      for (const [name, value] of refused) {
        const headers = { ...JSON_TYPE, [name.toLowerCase()]: value };
        expectProblem(await post(world, { headers }), 'invalid_request', name);
      }
    },
  },
  {
    name: 'are 404 for an unknown token, however the order is written',
    run: async (world) => {
      const upper = { ...NOWHERE, side: 'BUY', price: 0.01, size: 5 };
      expectNowhere(await post(world, { body: JSON.stringify(upper) }), isListed(world));
      const headers = {
        'content-type': 'application/json; charset=utf-8',
        ...(world.client === undefined && { 'x-client-address': `\u00e9,${'x'.repeat(600)}` }),
        'idempotency-key': `conformance-${crypto.randomUUID()}`.padEnd(255, '~'),
      };
      expectNowhere(await post(world, { headers }), isListed(world));
    },
  },
  {
    name: 'answer the first failing check',
    run: async (world) => {
      const tooLarge = orderOfBytes(MAX_BODY_BYTES + 1);
      const typedWrong = { query: '?a', headers: { 'content-type': 'text/plain' } };
      expectProblem(await post(world, typedWrong), 'invalid_request', 'a');
      expectProblem(
        await post(world, { headers: { 'content-type': 'text/plain' }, body: tooLarge }),
        'unsupported_media_type',
      );
      const badHeader = { ...JSON_TYPE, 'idempotency-key': '\u00e9' };
      expectProblem(await post(world, { headers: badHeader, body: tooLarge }), 'payload_too_large');
      expectProblem(await post(world, { headers: badHeader, body: '{' }), 'invalid_request', 'Idempotency-Key');
    },
  },
];

/** Checks of orders that are refused. */
export const REFUSED_ORDERS: readonly Check[] = [
  {
    group: 'orders',
    name: 'are refused to the page of a stranger, whatever it sends',
    run: async (world) => {
      for (const headers of [JSON_TYPE, { 'content-type': 'text/plain' }]) {
        expectProblem(await post(world, { headers: { ...headers, origin: STRANGER } }), 'origin_not_allowed');
      }
    },
  },
  {
    group: 'orders',
    name: 'are disabled in read-only mode, whatever is sent',
    applies: isReadOnly,
    run: async (world) => {
      for (const sending of [
        {},
        { query: '?dry_run=true' },
        { body: '{' },
        { headers: { 'content-type': 'text/plain' } },
      ]) {
        const answer = await post(world, sending);
        expectProblem(answer, 'order_placement_disabled');
        assert.match(JSON.stringify(answer.body), /SERVICE_|placeOrder/, 'detail does not name the setting');
      }
    },
  },
  ...IN_PLACING_MODE.map((check) => ({ group: 'orders', applies: placesOrders, ...check })),
];

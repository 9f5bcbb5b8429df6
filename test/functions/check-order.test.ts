import { describe, expect, it } from '@jest/globals';
import { AppError } from '../../shared/errors.ts';
import { type Answer, send } from '../support/service/http-client.ts';
import { startTestServer } from '../support/service/local-service.ts';
import { fakeOrders, TOKEN_ID } from '../support/venue/fake-venue.ts';

interface Parts {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const GOOD: Parts = {
  method: 'POST',
  path: '/v1/orders',
  headers: { host: 'localhost', 'content-type': 'application/json' },
  body: JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.5, size: 5 }),
};

interface Check {
  readonly name: string;
  /** Makes a request that this check refuses. */
  readonly spoil: (request: Parts) => Parts;
  /** The code, or for the several that are called `invalid_request`, the field. */
  readonly answer: string;
}

const withHeader = (name: string, value: string) => (request: Parts) => ({
  ...request,
  headers: { ...request.headers, [name]: value },
});

/** In the order in which the first failing one answers. */
const CHECKS: readonly Check[] = [
  { name: 'host', spoil: withHeader('host', 'evil.example'), answer: 'host_not_allowed' },
  { name: 'path', spoil: (request) => ({ ...request, path: '/v1/order' }), answer: 'not_found' },
  { name: 'method', spoil: (request) => ({ ...request, method: 'PUT' }), answer: 'method_not_allowed' },
  { name: 'origin', spoil: withHeader('origin', 'https://evil.example'), answer: 'origin_not_allowed' },
  { name: 'placement enabled', spoil: (request) => request, answer: 'order_placement_disabled' },
  { name: 'query', spoil: (request) => ({ ...request, path: `${request.path}?dry_run=true` }), answer: 'dry_run' },
  {
    name: 'repeated media type',
    spoil: ({ headers, ...request }) => ({
      ...request,
      headers: { ...headers, 'content-type': `${headers['content-type']},application/json` },
    }),
    answer: 'Content-Type',
  },
  { name: 'media type', spoil: withHeader('content-type', 'text/plain'), answer: 'unsupported_media_type' },
  {
    name: 'size',
    spoil: (request) => ({ ...request, body: request.body.padEnd(20_000) }),
    answer: 'payload_too_large',
  },
  { name: 'headers', spoil: withHeader('idempotency-key', 'x'.repeat(256)), answer: 'Idempotency-Key' },
  { name: 'body', spoil: (request) => ({ ...request, body: request.body.replace('buy', 'hold') }), answer: 'side' },
  { name: 'token', spoil: (request) => request, answer: 'unknown_token' },
];

const PAIRS = CHECKS.flatMap((first, index) => CHECKS.slice(index + 1).map((second) => [first, second] as const));

function nameOf({ text }: Answer): string {
  const { code, errors } = JSON.parse(text);
  return code === 'invalid_request' ? errors[0].field : code;
}

/** A service that refuses at the given checks, as far as that is not up to the request. */
async function startRefusing(checks: readonly Check[]): Promise<string> {
  const fails = (name: string) => checks.some((check) => check.name === name);
  const unknown = new AppError('x', { code: 'unknown_token' });
  const orders = fails('token') ? fakeOrders(() => Promise.reject(unknown)) : fakeOrders();
  return (await startTestServer({ orders: fails('placement enabled') ? null : orders })).url;
}

describe('of the checks that a request fails', () => {
  it('none answers a good one', async () => {
    expect((await send(await startRefusing([]), GOOD)).status).toBe(201);
  });

  it('none answers one with an empty query', async () => {
    expect((await send(await startRefusing([]), { ...GOOD, path: '/v1/orders?' })).status).toBe(201);
  });

  it.each(['Content-Type', 'Idempotency-Key', 'x-client-signature'])(
    'that of the headers answers one with two of %s',
    async (name) => {
      const url = await startRefusing([]);
      const headers = (values: readonly string[]) => [
        ...['Host', 'localhost', ...(name === 'Content-Type' ? [] : ['Content-Type', 'application/json'])],
        ...values.flatMap((value) => [name, value]),
      ];
      expect((await send(url, { ...GOOD, headers: headers(['application/json']) })).status).toBe(201);
      const twice = await send(url, { ...GOOD, headers: headers(['application/json', 'application/json']) });
      expect([twice.status, nameOf(twice)]).toStrictEqual([400, name]);
    },
  );

  it.each(CHECKS)('$name answers', async (check) => {
    const url = await startRefusing([check]);
    expect(nameOf(await send(url, check.spoil(GOOD)))).toBe(check.answer);
  });

  it.each(PAIRS)('$name answers before $name', async (first, second) => {
    const url = await startRefusing([first, second]);
    expect(nameOf(await send(url, first.spoil(second.spoil(GOOD))))).toBe(first.answer);
  });
});

import { describe, expect, it } from '@jest/globals';
import { ordersEndpoint } from '../../functions/orders/endpoint.ts';
import { AppError } from '../../shared/errors.ts';
import { type Answered, ask, type EventParts } from '../support/service/gateway-event.ts';
import { fakeOrders, PLACEMENT, TOKEN_ID, WALLET_ADDRESS } from '../support/venue/fake-venue.ts';

const ORDER = { token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10 };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Asks for an order, as text or as a value, and shows what was placed. */
async function place(body: unknown, parts: EventParts = {}) {
  const orders = fakeOrders();
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const headers = { ...JSON_TYPE, ...parts.headers };
  const answered = await ask(ordersEndpoint({ openOrders: async () => orders }), {
    method: 'POST',
    body: text,
    ...parts,
    headers,
  });
  return { ...answered, placed: orders.placed };
}

function problem({ result }: Answered, members: Record<string, unknown>) {
  return {
    type: 'about:blank',
    title: expect.any(String),
    status: result.statusCode,
    request_id: result.headers?.['x-request-id'],
    ...members,
  };
}

const invalid = (errors: { field: string; detail: string }[], what = 'The order') => ({
  code: 'invalid_request',
  status: 400,
  detail: `${what} is not valid: ${errors[0]?.field} ${errors[0]?.detail}`,
  errors,
});

describe('an order', () => {
  it('is placed and answered with all that is known of it', async () => {
    const { result, body, placed } = await place({ ...ORDER, post_only: true }, { headers: { 'x-request-id': 'm' } });
    expect(result).toStrictEqual({
      statusCode: 201,
      headers: {
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'x-content-type-options': 'nosniff',
        'x-request-id': 'm',
        vary: 'Origin',
      },
      body: expect.any(String),
    });
    expect(body).toStrictEqual({
      order_id: PLACEMENT.orderId,
      status: 'live',
      token_id: TOKEN_ID,
      side: 'buy',
      price: '0.51',
      size: '10',
      post_only: true,
      expires_at: null,
      filled_size: '0',
      remaining_size: '10',
      filled_value: '0',
      wallet_address: WALLET_ADDRESS,
      transaction_hashes: [],
      trade_ids: [],
    });
    expect(placed).toStrictEqual([
      {
        order: { tokenId: TOKEN_ID, side: 'buy', price: '0.51', size: '10', postOnly: true, expiresAt: null },
        idempotencyKey: undefined,
        client: null,
        caller: null,
        requestId: expect.any(String),
      },
    ]);
  });

  it('says when it is the answer to an earlier request', async () => {
    const fate = { kind: 'placed', placement: PLACEMENT } as const;
    const orders = { ...fakeOrders(), place: async () => ({ orderId: PLACEMENT.orderId, fate, replayed: true }) };
    const { result } = await ask(ordersEndpoint({ openOrders: async () => orders }), {
      method: 'POST',
      headers: JSON_TYPE,
      body: JSON.stringify(ORDER),
    });
    expect(result.headers?.['idempotency-replayed']).toBe('true');
  });

  it('hands on the hashes and trades of an execution', async () => {
    const fills = { filledSize: '3', remainingSize: '7', filledValue: '1.5' };
    const placement = {
      orderId: '0x1',
      status: 'matched',
      ...fills,
      transactionHashes: ['0x2'],
      tradeIds: ['t'],
    } as const;
    const orders = fakeOrders(async () => placement);
    const endpoint = ordersEndpoint({ openOrders: async () => orders });
    const { body } = await ask(endpoint, { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(ORDER) });
    expect(body).toMatchObject({
      status: 'matched',
      filled_size: '3',
      remaining_size: '7',
      filled_value: '1.5',
      transaction_hashes: ['0x2'],
      trade_ids: ['t'],
    });
  });

  it.each([
    ['buy', 'buy'],
    ['sell', 'sell'],
    ['BUY', 'buy'],
    ['SeLL', 'sell'],
  ])('takes the side %s', async (side, expected) => {
    expect((await place({ ...ORDER, side })).body).toMatchObject({ side: expected, post_only: false });
  });

  it.each([
    ['0.51', '0.51'],
    ['"0.51"', '0.51'],
    ['5.1e-1', '0.51'],
    ['0.510', '0.51'],
    ['"0.5100"', '0.51'],
    ['51E-2', '0.51'],
    ['0.4100000000000000001', '0.4100000000000000001'],
    ['0.1', '0.1'],
    ['1', '1'],
    ['-0.5', '-0.5'],
    ['0', '0'],
    ['-0', '0'],
    ['1e20', '100000000000000000000'],
  ])('hands on the price %s with the digits that were written', async (written, expected) => {
    const text = JSON.stringify(ORDER).replace('0.51', written);
    expect((await place(text)).body).toMatchObject({ price: expected });
  });

  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json ; charset="UTF-8" ',
  ])('is taken as %s', async (type) => {
    expect((await place(ORDER, { headers: { 'content-type': type } })).result.statusCode).toBe(201);
  });

  it('is logged with the client address, marked as a claim, beside the order id', async () => {
    const headers = { 'x-client-address': 'cosmos1abc', 'x-request-id': 'm', 'idempotency-key': 'k' };
    const { lines, placed } = await place(ORDER, { headers });
    expect(lines).toStrictEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        message: 'request',
        route: 'orders',
        method: 'POST',
        status: 201,
        duration_ms: expect.any(Number),
        request_id: 'm',
        venue_calls: [],
        order: { token_id: TOKEN_ID, side: 'buy', price: '0.51', size: '10', post_only: false, expires_at: null },
        client_address: 'cosmos1abc',
        client_address_verified: false,
        order_id: PLACEMENT.orderId,
        order_status: 'live',
        replayed: false,
      },
    ]);
    expect(placed).toMatchObject([{ idempotencyKey: 'k' }]);
  });

  it('is logged with the client address and its id when its outcome is unknown', async () => {
    const failure = new AppError('x', { code: 'outcome_unknown', facts: { orderId: '0x9' } });
    const orders = fakeOrders(() => Promise.reject(failure));
    const endpoint = ordersEndpoint({ openOrders: async () => orders });
    const headers = { ...JSON_TYPE, 'x-client-address': 'cosmos1abc' };
    const { lines } = await ask(endpoint, { method: 'POST', headers, body: JSON.stringify(ORDER) });
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      code: 'outcome_unknown',
      order_id: '0x9',
      client_address: 'cosmos1abc',
    });
  });
});

describe('a body that is no order', () => {
  it.each([
    [
      '{}',
      [
        { field: 'token_id', detail: 'is required.' },
        { field: 'side', detail: 'is required.' },
        { field: 'price', detail: 'is required.' },
        { field: 'size', detail: 'is required.' },
      ],
    ],
    [
      '{"extra":1,"Price":2}',
      [
        { field: 'extra', detail: 'is not a field of an order.' },
        { field: 'Price', detail: 'is not a field of an order.' },
        { field: 'token_id', detail: 'is required.' },
        { field: 'side', detail: 'is required.' },
        { field: 'price', detail: 'is required.' },
        { field: 'size', detail: 'is required.' },
      ],
    ],
  ])('is answered with every wrong field: %s', async (text, errors) => {
    const answered = await place(text);
    expect(answered.body).toStrictEqual(problem(answered, invalid(errors)));
    expect(answered.placed).toStrictEqual([]);
  });

  it('is answered with 20 wrong fields at most, and with 100 characters of their names', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(3, '0').padEnd(120, 'x'));
    const text = JSON.stringify({ ...ORDER, ...Object.fromEntries(names.map((name) => [name, 1])) });
    const answered = await place(text);
    const detail = 'is not a field of an order.';
    const errors = names.slice(0, 20).map((name) => ({ field: name.slice(0, 100), detail }));
    expect(answered.body).toStrictEqual(problem(answered, invalid(errors)));
  });

  it('is answered with names in printable ASCII', async () => {
    const answered = await place(JSON.stringify({ ...ORDER, [`${'x'.repeat(99)}😀`]: 1 }));
    const errors = [{ field: `${'x'.repeat(99)}?`, detail: 'is not a field of an order.' }];
    expect(answered.body).toStrictEqual(problem(answered, invalid(errors)));
  });

  const decimalRule = 'must be a JSON number or a plain decimal string such as "0.51".';
  const idRule =
    'must be an outcome token id: a uint256 in decimal, without sign or leading zeros, as outcomes[].token_id of GET /v1/markets has it.';
  const sideRule = 'must be "buy" or "sell".';

  it.each([
    ['token_id', 1, 'must be a string.'],
    ['token_id', null, 'must be a string.'],
    ['token_id', '', idRule],
    ['token_id', '01', idRule],
    ['token_id', '-1', idRule],
    ['token_id', '0x1', idRule],
    ['token_id', '1e3', idRule],
    ['token_id', String(2n ** 256n), idRule],
    ['side', 'long', sideRule],
    ['side', '', sideRule],
    ['side', ' buy', sideRule],
    ['side', 0, sideRule],
    ['side', null, sideRule],
    ['side', ['buy'], sideRule],
    ['price', null, decimalRule],
    ['price', true, decimalRule],
    ['price', '', decimalRule],
    ['price', '5e-1', decimalRule],
    ['price', '.5', decimalRule],
    ['price', '+0.5', decimalRule],
    ['price', ' 0.5', decimalRule],
    ['price', '0,5', decimalRule],
    ['price', '0x1', decimalRule],
    ['price', 'NaN', decimalRule],
    ['price', [0.5], decimalRule],
    ['size', {}, decimalRule],
    ['size', '1000000000.01', 'must be at most 1000000000.'],
    ['post_only', null, 'must be true or false.'],
    ['post_only', 'true', 'must be true or false.'],
    ['post_only', 1, 'must be true or false.'],
  ])('is answered with the field and its rule: %s %j', async (field, value, detail) => {
    const answered = await place({ ...ORDER, [field]: value });
    expect(answered.body).toStrictEqual(problem(answered, invalid([{ field, detail }])));
    expect(answered.placed).toStrictEqual([]);
  });

  it.each(['1e400', '1e-400', `0.${'1'.repeat(120)}`])('cannot hold the price %s', async (number) => {
    const answered = await place(JSON.stringify(ORDER).replace('0.51', number));
    expect(answered.body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(answered.placed).toStrictEqual([]);
  });

  it.each(['', ' ', '{', '{"a":1}x', 'undefined', "{'a':1}", '{"a":NaN}', '{"a":01}', '\ufeff{}'])(
    'is refused where it is not JSON: %j',
    async (text) => {
      const answered = await place(text);
      expect(answered.body).toStrictEqual(
        problem(answered, {
          code: 'invalid_request',
          detail: 'The order is not valid: body must be a JSON object.',
          errors: [{ field: 'body', detail: 'must be a JSON object.' }],
        }),
      );
      expect(answered.result.statusCode).toBe(400);
    },
  );

  it('has an end in UTC and whole seconds, which is answered as it was asked', async () => {
    const { body, placed } = await place({ ...ORDER, expires_at: '2028-02-29T23:59:59Z' });
    expect([body, placed]).toMatchObject([
      { expires_at: '2028-02-29T23:59:59Z' },
      [{ order: { expiresAt: Date.UTC(2028, 1, 29, 23, 59, 59) } }],
    ]);
  });

  it.each([
    null,
    '',
    0,
    1_800_000_000,
    '1800000000',
    '2027-12-01',
    '2027-12-01T12:00:00',
    '2027-12-01T12:00:00z',
    '2027-12-01t12:00:00Z',
    '2027-12-01 12:00:00Z',
    '2027-12-01T12:00Z',
    '2027-12-01T12:00:00.000Z',
    '2027-12-01T12:00:00+00:00',
    '2027-02-29T12:00:00Z',
    '2027-12-01T24:00:00Z',
    '2027-12-01T12:00:60Z',
    '+012027-12-01T12:00:00Z',
    ' 2027-12-01T12:00:00Z',
    '2027-12-01T12:00:00Z\n',
  ])('cannot end at %j', async (expires_at) => {
    const { body, placed } = await place({ ...ORDER, expires_at });
    const detail = 'must be a time in UTC with whole seconds such as "2026-12-01T12:00:00Z".';
    expect(body).toMatchObject(invalid([{ field: 'expires_at', detail }], 'The order'));
    expect(placed).toStrictEqual([]);
  });

  it.each(['null', '[]', '"text"', '1', 'true'])('is refused where it is not an object: %s', async (text) => {
    const { body } = await place(text);
    const errors = [{ field: 'body', detail: 'must be a JSON object.' }];
    expect(body).toMatchObject({
      status: 400,
      code: 'invalid_request',
      detail: 'The order is not valid: body must be a JSON object.',
      errors,
    });
  });

  it.each([
    'text/plain',
    '',
    'application/jsonx',
    'application/json; charset=latin1',
    'application/json; charset=utf-16; profile=x',
    'application/json; charset=',
    'application/problem+json',
    'multipart/form-data',
  ])('is refused as "%s"', async (type) => {
    const answered = await place(ORDER, { headers: { 'content-type': type } });
    expect(answered.body).toStrictEqual(
      problem(answered, {
        code: 'unsupported_media_type',
        detail: 'Send the order as Content-Type: application/json in UTF-8, not compressed.',
      }),
    );
    expect(answered.result.statusCode).toBe(415);
  });

  it.each(['', ';', '; charset="UTF-8"', ';odata=verbose; profile="a, b; charset=x";charset=utf-8', '; version=;'])(
    'is taken with the parameters "%s"',
    async (parameters) => {
      const headers = { 'content-type': `application/json${parameters}` };
      expect((await place(ORDER, { headers })).result.statusCode).toBe(201);
    },
  );

  it('is refused without a type, and compressed', async () => {
    const text = JSON.stringify(ORDER);
    const untyped = await ask(ordersEndpoint({ openOrders: async () => fakeOrders() }), { method: 'POST', body: text });
    expect(untyped.result.statusCode).toBe(415);
    expect((await place(ORDER, { headers: { 'content-encoding': 'gzip' } })).result.statusCode).toBe(415);
    expect((await place(ORDER, { headers: { 'content-encoding': 'Identity' } })).result.statusCode).toBe(201);
  });

  it.each([
    [JSON.stringify({ ...ORDER, price: '0.41' }).replace('"0.41"', '0.4100000000000000001'), '0.4100000000000000001'],
    [JSON.stringify({ ...ORDER, price: '5' }).replace('"5"', '50e-2'), '0.5'],
    [JSON.stringify({ ...ORDER, price: '0.50' }), '0.5'],
  ])('has the digits that were written: %s', async (text, price) => {
    const { placed } = await place(text);
    expect(placed.map(({ order }) => order.price)).toStrictEqual([price]);
  });

  it.each([
    [`{"__proto__":{"price":1},${JSON.stringify(ORDER).slice(1)}`, '__proto__', 'is not a field of an order.'],
    [`{"constructor":{"prototype":{}},${JSON.stringify(ORDER).slice(1)}`, 'constructor', 'is not a field of an order.'],
    ['{"side":"buy"', 'body', 'must be a JSON object.'],
    ['', 'body', 'must be a JSON object.'],
    ['['.repeat(10_000), 'body', 'must be a JSON object.'],
  ])('is refused by the parser: %j', async (text, field, rule) => {
    const answered = await place(text);
    const detail = `The order is not valid: ${field} ${rule}`;
    const errors = [{ field, detail: rule }];
    expect(answered.body).toStrictEqual(problem(answered, { code: 'invalid_request', detail, errors }));
  });
});

it('refuses an order that the gateway has given up, before anything is signed', async () => {
  const given = await place(ORDER, { timeEpoch: Date.now() - 31_000 });
  expect(given.body).toMatchObject({ status: 408, code: 'request_timeout' });
  expect(given.placed).toStrictEqual([]);
  expect((await place(ORDER, { timeEpoch: Date.now() - 15_000 })).placed).toHaveLength(1);
});

describe('the query of an order', () => {
  it.each([
    ['dry_run=true', 'dry_run'],
    ['validate', 'validate'],
    ['a%20b=1&c=2', 'a b'],
    ['=', ''],
    ['&', '&'],
    ['?', '?'],
    ['?validate', '?validate'],
    [`${'x'.repeat(101)}=1`, 'x'.repeat(100)],
  ])('is refused: %s', async (query, field) => {
    const answered = await place(ORDER, { query });
    const detail = 'is not known: an order has no query.';
    expect(answered.body).toStrictEqual(problem(answered, invalid([{ field, detail }], 'The query')));
    expect(answered.placed).toStrictEqual([]);
  });

  it('does not matter to a preflight, and neither does an empty one to an order', async () => {
    expect((await place(ORDER, { query: '' })).result.statusCode).toBe(201);
    expect((await place('', { method: 'OPTIONS', query: 'dry_run=true' })).result.statusCode).toBe(204);
  });
});

describe('the headers of an order', () => {
  const keyRule = { field: 'Idempotency-Key', detail: 'must be 1 to 255 printable ASCII characters without a comma.' };

  it.each([
    ['a', 'a'],
    [' a ', 'a'],
    ['', null],
    [' ', null],
    ['a,b', 'a,b'],
    ['ä\t\u007f\u0000', '\\u00e4\\u0009\\u007f\\u0000'],
    ['x'.repeat(513), 'x'.repeat(512)],
  ])('take any client address as a label: %j', async (header, address) => {
    const { result, placed } = await place(ORDER, { headers: { 'x-client-address': header } });
    expect(result.statusCode).toBe(201);
    expect(placed).toMatchObject([{ client: address === null ? null : { address, isVerified: false } }]);
  });

  it.each(['a', 'x'.repeat(255)])('take the idempotency key %j', async (key) => {
    expect((await place(ORDER, { headers: { 'idempotency-key': key } })).placed).toMatchObject([
      { idempotencyKey: key },
    ]);
  });

  it.each(['', 'x'.repeat(256), 'ä', 'a\nb', ',', 'a,a', 'a, a'])('refuse the idempotency key %j', async (key) => {
    const answered = await place(ORDER, { headers: { 'idempotency-key': key } });
    expect(answered.body).toStrictEqual(problem(answered, invalid([keyRule], 'A header')));
    expect(answered.placed).toStrictEqual([]);
  });

  it.each(['x-idempotency-key', 'idempotency_key', 'idempotencykey', 'idempotency-token'])(
    'refuse %s, which would be no key',
    async (field) => {
      const answered = await place(ORDER, { headers: { [field]: 'k', 'idempotency-key': 'k' } });
      const errors = [{ field, detail: 'is not known: the header is Idempotency-Key.' }];
      expect(answered.body).toStrictEqual(problem(answered, invalid(errors, 'A header')));
      expect(answered.placed).toStrictEqual([]);
    },
  );

  const once = 'must be there once, without a comma.';

  it.each(['application/json,application/json', 'text/plain, application/json', ','])(
    'are there once: not the media type "%s"',
    async (type) => {
      const answered = await place('x'.repeat(20_000), { headers: { 'content-type': type } });
      const errors = [{ field: 'Content-Type', detail: once }];
      expect(answered.body).toStrictEqual(problem(answered, invalid(errors, 'A header')));
    },
  );
});

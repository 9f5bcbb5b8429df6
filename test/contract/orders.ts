import assert from 'node:assert/strict';
import { type Answer, codeOf, expectMembers, expectProblem, fieldsOf, membersOf } from './answer.ts';
import type { Request } from './ask.ts';
import { controlOf, processOf, section, type World } from './check.ts';
import { corsOf, STRANGER, STRANGERS } from './everywhere.ts';

/**
 * An order that no adapter, however broken, can place: its token does not exist. What is wrong with it besides that is
 * answered first.
 */
export const NOWHERE = { token_id: '1', side: 'buy', price: '0.01', size: '5', post_only: true } as const;

/** The headers of a JSON body. */
export const JSON_TYPE = { 'content-type': 'application/json' } as const;
const MAX_BODY_BYTES = 16_384;

type Headers = Readonly<Record<string, string>>;

interface Sending {
  /** With its question mark. */
  readonly query?: string;
  readonly headers?: Headers;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends an order; by default one for no token. */
export function post(
  { ask }: Pick<World, 'ask'>,
  { query = '', headers = JSON_TYPE, body = JSON.stringify(NOWHERE) }: Sending,
): Promise<Answer> {
  return ask({ operation: 'orders', method: 'POST', target: `/v1/orders${query}`, headers, body });
}

/** Expects the answer to `NOWHERE`: its token is unknown, or its client, unless that is one that may order. */
export function expectNowhere(answer: Answer, isListed: boolean): void {
  if (isListed || codeOf(answer) !== 'client_not_allowed') expectProblem(answer, 'unknown_token');
}

/** Without a check of clients all may order. */
const isListed = ({ client }: World): boolean => client?.isListed !== false;

/** An order at the lowest price that there is, of the smallest size, never taking. */
export function restingOrder({ sample: { tokenId, tickSize, minOrderSize } }: World) {
  return { token_id: tokenId, side: 'buy', price: tickSize, size: minOrderSize, post_only: true } as const;
}

/** Sends the resting order with changes, and headers besides the media type. */
export function place(world: World, change: object = {}, headers: Headers = {}): Promise<Answer> {
  const body = JSON.stringify({ ...restingOrder(world), ...change });
  return post(world, { headers: { ...JSON_TYPE, ...headers }, body });
}

/** Returns the number of orders that were sent to the venue. */
export function sendings(world: World): number {
  const { venue } = controlOf(world);
  return venue.requests().filter(({ method, path }) => method === 'POST' && path === '/order').length;
}

/** An order as text, with a member as it is written; `undefined` leaves it out. */
function written(member: string, text: string | undefined, order: object = NOWHERE): string {
  const others = Object.entries(order).filter(([name]) => name !== member);
  const members = [...others.map(([name, value]) => `"${name}":${JSON.stringify(value)}`)];
  return `{${[...members, ...(text === undefined ? [] : [`"${member}":${text}`])].join(',')}}`;
}

const DECIMAL_RULE = 'must be a JSON number or a plain decimal string such as "0.51".';
const TOKEN_RULE =
  'must be an outcome token id: a uint256 in decimal, without sign or leading zeros, as outcomes[].token_id of GET /v1/markets has it.';
const SIDE_RULE = 'must be "buy" or "sell".';
const FLAG_RULE = 'must be true or false.';
const TIME_RULE = 'must be a time in UTC with whole seconds such as "2026-12-01T12:00:00Z".';

/** Members that are refused, as they are written, by their rule. */
const WRONG: readonly (readonly [member: string, detail: string, ...texts: (string | undefined)[]])[] = [
  ...['token_id', 'side', 'price', 'size'].map((member) => [member, 'is required.', undefined] as const),
  ['token_id', 'must be a string.', '1', 'null'],
  ['token_id', TOKEN_RULE, '""', '"01"', '"-1"', '"0x1"', '"1e3"', `"${2n ** 256n}"`],
  ['side', SIDE_RULE, '"long"', '""', '" buy"', 'null', '["buy"]'],
  ['price', DECIMAL_RULE, 'null', 'true', '""', '"5e-1"', '".5"', '"+0.5"', '" 0.5"', '"1,000.5"', '"NaN"', '[0.5]'],
  ['price', 'must have a decimal point, not a comma, such as "0.51".', '"0,51"'],
  ['price', DECIMAL_RULE, '1e400', '1e-400', `0.${'1'.repeat(120)}`],
  ['size', DECIMAL_RULE, '{}', '""', 'null'],
  ['size', 'must be at most 1000000000.', '"1000000000.01"', '1000000001'],
  ['post_only', FLAG_RULE, 'null', '"true"', '1'],
  ...['post_onl', '__proto__', 'constructor'].map((name) => [name, 'is not a field of an order.', 'true'] as const),
  [
    'expires_at',
    TIME_RULE,
    'null',
    '""',
    '1800000000',
    '"2027-12-01"',
    '"2027-12-01T12:00:00"',
    '"2027-02-29T12:00:00Z"',
  ],
  ['expires_at', TIME_RULE, '"2027-12-01T12:00:00z"', '"2027-12-01 12:00:00Z"', '"2027-12-01T12:00Z"'],
  ['expires_at', TIME_RULE, '"2030-01-01T00:00:00.0Z"', '"2030-01-01T00:00:00+00:00"', '"2027-12-01T24:00:00Z"'],
];

const NO_OBJECTS = [
  ...['null', '[]', '"order"', '1', ' ', '{', '{"a":1}x', "{'a':1}", '{"a":NaN}', '{"a":01}', '\ufeff\ufeff{}'],
  '['.repeat(10_000),
];

/** An order of exactly so many bytes, filled with a member that is refused. */
function orderOfBytes(bytes: number): string {
  const empty = written('padding', '""');
  return written('padding', `"${'x'.repeat(bytes - empty.length)}"`);
}

const TEXT = { 'content-type': 'text/plain' } as const;

/** Media types, some with an encoding after `as`: those that are refused, and those that are JSON in UTF-8. */
const OTHER_TYPES = [
  ...['text/plain', 'application/problem+json', 'application/jsonx', 'multipart/form-data', 'application/json as gzip'],
  ...['latin1', '', 'utf-16; profile=x'].map((charset) => `application/json; charset=${charset}`),
];
const JSON_TYPES = [
  ...['Application/JSON', 'application/json ; charset="UTF-8" ', 'application/json; a;', 'application/json; version=;'],
  ...[
    'application/json; charset = utf-8',
    'application/json;odata=verbose; profile="a, b; charset=x";charset=utf-8',
    'application/json as Identity',
  ],
];

type Parts = Required<Pick<Request, 'operation' | 'method' | 'target' | 'headers'>> & { readonly body: string };

const withHeader = (name: string, value: string) => (parts: Parts) => ({
  ...parts,
  headers: { ...parts.headers, [name]: value },
});

/** The checks of a request in the order in which the first failing one answers. `answer`: its code, or the field. */
const STEPS: readonly (readonly [answer: string, spoil: (parts: Parts) => Parts])[] = [
  ['not_found', (parts) => ({ ...parts, operation: 'book', target: parts.target.replace('orders', 'order') })],
  ['method_not_allowed', (parts) => ({ ...parts, method: 'PUT' })],
  ['origin_not_allowed', withHeader('origin', STRANGER)],
  ['order_placement_disabled', (parts) => parts],
  ['dry_run', (parts) => ({ ...parts, target: `${parts.target}?dry_run=true` })],
  ['Content-Type', (parts) => withHeader('content-type', `${parts.headers['content-type']},a`)(parts)],
  ['unsupported_media_type', withHeader('content-type', 'text/plain')],
  ['payload_too_large', (parts) => ({ ...parts, body: parts.body.padEnd(MAX_BODY_BYTES + 1) })],
  ['Idempotency-Key', withHeader('idempotency-key', 'x'.repeat(256))],
  ['side', (parts) => ({ ...parts, body: parts.body.replace('buy', 'hold') })],
  ['unknown_token', (parts) => parts],
];
const DISABLED = STEPS.findIndex(([answer]) => answer === 'order_placement_disabled');

const ORDER: Parts = {
  operation: 'orders',
  method: 'POST',
  target: '/v1/orders',
  headers: JSON_TYPE,
  body: JSON.stringify(NOWHERE),
};

/** The code of a problem, or the field that is not valid. A client that is not listed has no token looked up. */
function nameOf(answer: Answer): string {
  const code = `${codeOf(answer)}`;
  if (code === 'client_not_allowed') return 'unknown_token';
  return code === 'invalid_request' ? `${fieldsOf(answer)[0]}` : code;
}

/** Checks of orders that a caller alone has refused. */
const REFUSED = section('orders', [], {
  'are answered by the first check that fails': async ({ ask, mode }) => {
    const steps = mode === 'read-only' ? STEPS : STEPS.filter((_, index) => index !== DISABLED);
    for (const [index, [first, spoil]] of steps.entries()) {
      if (mode === 'read-only' && index > DISABLED) break;
      assert.equal(nameOf(await ask(spoil(ORDER))), first);
      for (const [, spoilToo] of steps.slice(index + 1)) assert.equal(nameOf(await ask(spoil(spoilToo(ORDER)))), first);
    }
  },
  'are refused to a page of an unlisted origin, whatever it sends': {
    proves: ['origin_not_allowed'],
    run: async (world) => {
      for (const origin of STRANGERS) {
        for (const type of [JSON_TYPE, TEXT]) {
          const answer = await post(world, { headers: { ...type, origin } });
          const detail = `Orders from pages of "${origin}" are refused. Ask the operator to add this origin to SERVICE_CORS_ORIGINS (deployed: corsOrigins).`;
          expectProblem(answer, 'origin_not_allowed', { detail });
          assert.deepEqual(corsOf(answer), { vary: 'Origin' });
        }
      }
    },
  },
  'are disabled in read-only mode, whatever is sent': {
    needs: ['read-only'],
    settings: { SERVICE_PLACE_ORDER: '' },
    run: async (world) => {
      for (const sending of [{}, { query: '?a' }, { body: '{' }, { headers: TEXT }, { body: orderOfBytes(20_000) }]) {
        const answer = await post(world, sending);
        expectProblem(answer, 'order_placement_disabled');
        assert.match(JSON.stringify(answer.body), /SERVICE_|placeOrder/, 'detail does not name the setting');
      }
    },
  },
  'are disabled without the opt-in, and the answer names what is missing': {
    needs: ['process'],
    settings: { SERVICE_PLACE_ORDER: 'yes' },
    proves: ['order_placement_disabled', 'SERVICE_PLACE_ORDER'],
    run: async (world) => {
      const detail = 'The service is read-only: its operator has not set SERVICE_PLACE_ORDER=1.';
      expectProblem(await post(world, {}), 'order_placement_disabled', { detail });
    },
  },
});

/** Checks of orders that a caller alone has refused, at a service that places some. */
const WRONG_ORDERS = section('orders', ['orders'], {
  'refuse a query': async (world) => {
    const queries = [
      ['?dry_run=true', 'dry_run'],
      ['?validate', 'validate'],
      ['?a%20b=1&c=2', 'a b'],
      ['??validate', '?validate'],
      ['?&', '&'],
      [`?${'x'.repeat(101)}=1`, 'x'.repeat(100)],
    ];
    // A signature covers the query in its canonical form only.
    for (const [query, field] of world.edge === 'local' ? queries : queries.slice(0, 1)) {
      const detail = 'is not a parameter of this endpoint; it has none.';
      expectProblem(await post(world, { query: `${query}` }), 'invalid_request', { errors: [{ field, detail }] });
    }
    expectNowhere(await post(world, { query: '?' }), isListed(world));
  },
  'must be application/json in UTF-8, not compressed': {
    proves: ['unsupported_media_type'],
    run: async (world) => {
      const sent = (type: string) => {
        const [value = '', encoding] = type.split(' as ');
        return post(world, { headers: { 'content-type': value, ...(encoding && { 'content-encoding': encoding }) } });
      };
      for (const type of OTHER_TYPES) expectProblem(await sent(type), 'unsupported_media_type');
      // Bytes: `fetch` names no type for them.
      const body = new TextEncoder().encode(JSON.stringify(NOWHERE));
      expectProblem(await post(world, { headers: {}, body }), 'unsupported_media_type');
      for (const type of JSON_TYPES) expectNowhere(await sent(type), isListed(world));
    },
  },
  'are at most 16384 bytes': {
    proves: ['payload_too_large'],
    run: async (world) => {
      expectProblem(await post(world, { body: orderOfBytes(MAX_BODY_BYTES) }), 'invalid_request', 'padding');
      expectProblem(await post(world, { body: orderOfBytes(MAX_BODY_BYTES + 1) }), 'payload_too_large');
      // A gateway makes a text of them.
      if (world.edge === 'gateway') return;
      // Each byte would be three as a text.
      const bytes = (length: number) => new Uint8Array(length).fill(0xff);
      expectProblem(await post(world, { body: bytes(MAX_BODY_BYTES) }), 'invalid_request', 'body');
      expectProblem(await post(world, { body: bytes(MAX_BODY_BYTES + 1) }), 'payload_too_large');
    },
  },
  'are refused with the name and the rule of every wrong member': {
    proves: ['invalid_request'],
    run: async (world) => {
      for (const [field, detail, ...texts] of WRONG) {
        for (const text of texts) {
          const answer = await post(world, { body: written(field, text) });
          expectProblem(answer, 'invalid_request', {
            detail: `The order is not valid: ${field} ${detail}`,
            errors: [{ field, detail }],
          });
        }
      }
      assert.deepEqual(fieldsOf(await post(world, { body: '{"extra":1,"Price":2}' })), [
        ...['extra', 'Price', 'token_id', 'side', 'price', 'size'],
      ]);
    },
  },
  'must be a JSON object, and are refused with at most 20 wrong members, each truncated to 100 printable characters':
    async (world) => {
      const names = Array.from({ length: 30 }, (_, index) => `${index}`.padStart(3, '0').padEnd(98, 'x'));
      const body = JSON.stringify({ ...NOWHERE, ...Object.fromEntries(names.map((name) => [`${name}x😀yy`, 1])) });
      const detail = 'is not a field of an order.';
      const errors = names.slice(0, 20).map((name) => ({ field: `${name}x?`, detail }));
      expectProblem(await post(world, { body }), 'invalid_request', { errors });
      const noObject = [{ field: 'body', detail: 'must be a JSON object.' }];
      for (const text of NO_OBJECTS) {
        expectProblem(await post(world, { body: text }), 'invalid_request', { errors: noObject });
      }
    },
  'must have headers of printable ASCII and bounded length, each at most once': async (world) => {
    const refused = [
      ...['', 'x'.repeat(256), '\u00e9', ',', 'a, a'].map((key) => ['Idempotency-Key', key] as const),
      // A repeated header comes out of a gateway like this.
      ['Idempotency-Key', 'a,a'],
      ['Content-Type', 'application/json,application/json'],
      ['Content-Type', ','],
    ] as const;
    for (const [name, value] of refused) {
      // A client that is verified needs a key, and makes one where there is none.
      if (value === '' && world.client) continue;
      const headers = { ...JSON_TYPE, [name.toLowerCase()]: value };
      expectProblem(await post(world, { headers }), 'invalid_request', name);
    }
  },
  'are refused for a misspelt Idempotency-Key header, which would be ignored': async (world) => {
    for (const field of ['x-idempotency-key', 'idempotency_key', 'idempotencykey', 'idem-potency-token']) {
      const headers = { ...JSON_TYPE, [field]: 'k', 'idempotency-key': 'k' };
      const errors = [{ field, detail: 'is not known: the header is Idempotency-Key.' }];
      expectProblem(await post(world, { headers }), 'invalid_request', { errors });
    }
  },
  'are 404 for an unknown token, however the order is written': async (world) => {
    const upper = { ...NOWHERE, side: 'BUY', price: 0.01, size: 5 };
    expectNowhere(await post(world, { body: JSON.stringify(upper) }), isListed(world));
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      ...(world.client === undefined && { 'x-client-address': `\u00e9,${'x'.repeat(600)}` }),
      'idempotency-key': `conformance-${crypto.randomUUID()}`.padEnd(255, '~'),
    };
    expectNowhere(await post(world, { headers }), isListed(world));
    expectNowhere(await post(world, { body: `\ufeff${JSON.stringify(NOWHERE)}` }), isListed(world));
  },
});

/** Checks of the rules of a market, and of orders that are placed. */
const PLACED = section('orders', ['orders'], {
  'are held to the rules of the market to the last digit': {
    places: true,
    proves: ['price_out_of_range', 'price_off_tick', 'size_precision', 'size_below_minimum'],
    run: async (world) => {
      const { tickSize: tick_size, minOrderSize: min_order_size } = world.sample;
      for (const price of [0, '0', 1, '1', -0.5, `${tick_size}1`.replace(/[1-9]/, '0')]) {
        expectProblem(await place(world, { price }), 'price_out_of_range', { min_price: tick_size });
      }
      const digits = written('price', `${tick_size}${'0'.repeat(20)}1`, restingOrder(world));
      for (const answer of [await place(world, { price: `${tick_size}1` }), await post(world, { body: digits })]) {
        expectProblem(answer, 'price_off_tick', { tick_size });
      }
      const size = min_order_size.includes('.') ? `${min_order_size}001` : `${min_order_size}.001`;
      expectProblem(await place(world, { size }), 'size_precision', { max_decimals: 2 });
      for (const small of ['0.01', 0, '-1']) {
        expectProblem(await place(world, { size: small }), 'size_below_minimum', { min_order_size });
      }
    },
  },
  'are off the book from expires_at on, and not a second before': {
    needs: ['process'],
    run: async (world) => {
      const { venue, pass } = processOf(world);
      const expires = Math.ceil(Date.now() / 1_000) * 1_000 + 200_000;
      const expires_at = `${new Date(expires).toISOString().slice(0, 19)}Z`;
      // Its fraction, which JavaScript writes, is cut off.
      const answer = await place(world, { expires_at: expires_at.replace('Z', '.999Z') });
      expectMembers(answer, { status: 'live', expires_at });
      const { order_id } = membersOf(answer);
      const state = () => venue.orders().find(({ id }) => id === order_id)?.status;
      await pass(expires - 1_000 - Date.now());
      assert.equal(state(), 'LIVE');
      await pass(expires - Date.now());
      assert.equal(state(), 'CANCELED');
    },
  },
});

/** Checks of orders that a paper venue takes. */
const TAKEN = section('orders', ['orders', 'paper venue'], {
  'are answered with every known fact': async (world) => {
    const { tokenId: token_id, tickSize: price, minOrderSize: size } = world.sample;
    const { wallet_address } = membersOf(await world.ask({ operation: 'health', target: '/health' }));
    const answer = await place(world);
    const { order_id, ...told } = membersOf(answer);
    assert.equal(answer.status, 201);
    assert.deepEqual(told, {
      ...{ status: 'live', token_id, side: 'buy', price, size, post_only: true, expires_at: null },
      ...{ filled_size: '0', remaining_size: size, filled_value: '0' },
      ...{ wallet_address, transaction_hashes: [], trade_ids: [] },
    });
    const last = controlOf(world).venue.orders().at(-1);
    assert.deepEqual([last?.id, last?.asset_id, last?.price], [order_id, token_id, price]);
    assert.deepEqual([last?.side, last?.original_size, last?.post_only], ['BUY', size, true]);
    assert.equal(answer.headers.get('idempotency-replayed'), null);
  },
  'are answered with the part that was executed at once': async (world) => {
    const answer = await place(world, { side: 'SeLL', price: '0.01', size: '10', post_only: undefined });
    expectMembers(answer, {
      status: 'matched',
      side: 'sell',
      post_only: false,
      filled_size: '10',
      remaining_size: '0',
    });
    const { filled_value, transaction_hashes, trade_ids } = membersOf(answer);
    assert.ok(Number(filled_value) > 0.1, 'the value is not that of the trades');
    assert.match(`${transaction_hashes}`, /^0x[0-9a-f]{64}(?:,0x[0-9a-f]{64})*$/);
    assert.match(`${trade_ids}`, /./);
  },
  'are signed with exactly the digits that were written': async (world) => {
    const order = restingOrder(world);
    for (const text of ['0.01', '"0.01"', '1e-2', '0.010', '"0.0100"', '10E-3', '0.1e-1']) {
      const answer = await post(world, { body: written('price', text, order) });
      assert.deepEqual([answer.status, membersOf(answer)['price']], [201, '0.01'], text);
    }
    for (const [text, size] of [
      ['5.10', '5.1'],
      ['"5.50"', '5.5'],
      ['51e-1', '5.1'],
    ]) {
      const answer = await post(world, { body: written('size', text, order) });
      assert.equal(controlOf(world).venue.orders().at(-1)?.original_size, size);
      expectMembers(answer, { size, remaining_size: size });
    }
  },
  'log and record a client address as unverified, truncated to 512 printable characters': {
    needs: ['clients as they are'],
    run: async (world) => {
      for (const [label, address] of [
        ['cosmos1abc', 'cosmos1abc'],
        ['a,b', 'a,b'],
        ['\u00e4\t', '\\u00e4'],
        ['x'.repeat(513), 'x'.repeat(512)],
        ['', null],
      ] as const) {
        const id = `conformance-${crypto.randomUUID()}`;
        const answer = await place(world, {}, { 'x-client-address': label, 'x-request-id': id });
        const lines = controlOf(world)
          .lines()
          .filter((line) => line['request_id'] === id);
        const { order_id } = membersOf(answer);
        for (const message of ['order signed', 'request']) {
          const line = lines.find((candidate) => candidate['message'] === message);
          const { client_address, client_address_verified } = line ?? {};
          assert.deepEqual([client_address, client_address_verified], [address, address === null ? null : false]);
          assert.equal(line?.['order_id'], order_id);
        }
        const { store_ms, sign_ms } = lines.find(({ message }) => message === 'request') ?? {};
        assert.deepEqual([typeof store_ms, typeof sign_ms], ['number', 'number']);
      }
    },
  },
  'are refused if they expire within 120 s, with the earliest expiry': {
    proves: ['expiry_too_soon'],
    run: async (world) => {
      const sent = sendings(world);
      const at = (milliseconds: number) => `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
      const answer = await place(world, { expires_at: at(Date.now() + 110_000) });
      expectProblem(answer, 'expiry_too_soon');
      const earliest = Date.parse(String(membersOf(answer)['earliest']));
      assert.ok(Math.abs(earliest - Date.now() - 120_000) < 10_000, 'the earliest end is not in 120 s');
      assert.equal(sendings(world), sent);
      assert.equal((await place(world, { expires_at: at(earliest + 5_000) })).status, 201);
    },
  },
});

const ARN = 'arn:aws:iam::123456789012:user/trader';

/** What a gateway knows of a caller, by the access of the deployment, and the name that the log has: none is refused. */
const CALLERS = [
  ['iam', { iam: { userArn: ARN } }, ARN],
  ['iam', { jwt: { claims: { sub: 'me' } } }, undefined],
  ['iam', { iam: { userArn: null } }, undefined],
  ['iam', { iam: { userArn: '' } }, undefined],
  ['iam', undefined, undefined],
  ['jwt', { jwt: { claims: { sub: 'me', client_id: 'app', azp: 'bot' }, scopes: ['trade'] } }, 'me'],
  ['jwt', { jwt: { claims: { sub: '', client_id: 'app', azp: 'bot' } } }, 'app'],
  ['jwt', { jwt: { claims: { iss: 'x', azp: 'bot' } } }, 'bot'],
  ['jwt', { jwt: { claims: { sub: `me\u001b[2J${'x'.repeat(600)}` } } }, `me\\u001b[2J${'x'.repeat(501)}`],
  ['jwt', { jwt: { claims: { sub: '' } } }, undefined],
  ['jwt', { iam: { userArn: ARN } }, undefined],
  ['jwt', undefined, undefined],
] as const;

/** Checks of the orders of a deployment. */
const DEPLOYED = section('orders', ['process'], {
  'of a deployment are refused unless the gateway has identified the caller, whom each line names': {
    proves: ['caller_not_identified'],
    run: async (world) => {
      for (const [access, authorizer, caller] of CALLERS) {
        const deployed = await processOf(world).startDeployed(access, { authorizer });
        const answer = await post(deployed, {});
        expectProblem(answer, caller === undefined ? 'caller_not_identified' : 'order_placement_disabled');
        const missing = access === 'jwt' ? /sub, client_id or azp/ : /AWS credentials/;
        if (caller === undefined) assert.match(String(membersOf(answer)['detail']), missing);
        assert.deepEqual(
          deployed.lines().map(({ gateway_caller }) => gateway_caller),
          [caller],
        );
      }
      const anyone = await processOf(world).startDeployed('public', {});
      expectProblem(await post(anyone, {}), 'order_placement_disabled');
    },
  },
});

/** Checks of `POST /v1/orders`. */
export const ORDERS = [...REFUSED, ...WRONG_ORDERS, ...PLACED, ...TAKEN, ...DEPLOYED];

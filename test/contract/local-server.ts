import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type Answer, expectProblem } from './answer.ts';
import { controlOf, processOf, section, type World } from './check.ts';
import { restingOrder, sendings } from './orders.ts';
import { openRaw, raw } from './raw.ts';

const HOST = 'Host: localhost\r\n';
const LAST = `${HOST}Connection: close\r\n`;
const JSON_TYPE = 'Content-Type: application/json\r\n';
const HEALTH = `GET /health HTTP/1.1\r\n${HOST}\r\n`;
const LAST_HEALTH = lastGet('/health');

/** A request that ends its connection, with further headers. */
function lastGet(target: string, more = ''): string {
  return `GET ${target} HTTP/1.1\r\n${LAST}${more}\r\n`;
}

/** A request to a host. */
export function healthOf(host: string): string {
  return `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

function statuses(answers: readonly Answer[]): readonly number[] {
  return answers.map(({ status }) => status);
}

/** Expects one answer, a problem. */
async function refused(world: World, text: string, ...problem: Tail): Promise<void> {
  const answers = await raw(world, text);
  const [answer] = answers;
  assert.ok(answer, `no answer to ${text.slice(0, 60)}`);
  assert.equal(answers.length, 1, text.slice(0, 60));
  expectProblem(answer, ...problem);
}
type Tail = Parameters<typeof expectProblem> extends [Answer, ...infer Rest] ? Rest : never;

/** A request for an order that can be placed. */
function orderRequest(world: World, more = '', body = JSON.stringify(restingOrder(world))): string {
  return `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

const OWN_HOSTS = [
  ...['127.0.0.1', '127.0.0.1:8080', 'localhost', 'LOCALHOST:1', 'localhost.', 'localhost:', '[::1]', '[::1]:80'],
];
const STRANGE_HOSTS = [
  ...['conformance.invalid', 'evil.example:8080', 'localhost.conformance.invalid', '127.0.0.1.nip.invalid:8080'],
  ...['evil.localhost', 'localhost:8080@evil.example', 'user@localhost', 'localhost,evil.example', 'localhost..'],
  ...['127.0.0.2', '0.0.0.0', '[::2]', '[::ffff:127.0.0.1]', '::1', 'localhost:80a', 'localhost:999999', ''],
];

const NO_HTTP = [
  'HELLO\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `POST /v1/orders HTTP/1.1\r\n${LAST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  `POST /v1/orders HTTP/1.1\r\n${LAST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na`,
  ...[lastGet('/health', ': x\r\n'), lastGet('/health', 'X : x\r\n'), lastGet('/health\u00e4'), lastGet('health')],
  `FOO /health HTTP/1.1\r\n${LAST}\r\n`,
  `patch /v1/orders HTTP/1.1\r\n${LAST}\r\n`,
];

const NO_PATHS = ['ws://localhost/health', 'ws://evil.example/health', '*'];

const HEAD = `POST /v1/orders HTTP/1.1\r\n${HOST}${JSON_TYPE}`;

/** Checks that any local server can be held to. */
const ALONE = section('local server', ['local server'], {
  'refuses a Host that is not its own, and names it in printable ASCII': {
    proves: ['host_not_allowed'],
    run: async (world) => {
      for (const host of OWN_HOSTS) assert.deepEqual(statuses(await raw(world, healthOf(host))), [200], host);
      for (const host of STRANGE_HOSTS) await refused(world, healthOf(host), 'host_not_allowed');
      const first = `PUT /v1/order?x HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\nConnection: close\r\n\r\n`;
      await refused(world, first, 'host_not_allowed');
      const detail = `Requests for the host "??<b>${'a'.repeat(95)}" are refused. Ask the operator to add it to SERVICE_ALLOWED_HOSTS.`;
      await refused(world, healthOf(`\xe4\x80<b>${'a'.repeat(99)}`), 'host_not_allowed', { detail });
    },
  },
  'refuses a request without exactly one Host': async (world) => {
    const errors = [{ field: 'Host', detail: 'must be given exactly once.' }];
    for (const hosts of ['', `${HOST}${HOST}`, `${HOST}Host: evil.example\r\n`]) {
      const request = `GET /health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`;
      await refused(world, request, 'invalid_request', { errors });
    }
  },
  'answers bytes that are not HTTP with invalid_request': async (world) => {
    const errors = [{ field: 'request', detail: 'must be HTTP/1.1.' }];
    for (const text of NO_HTTP) await refused(world, text, 'invalid_request', { errors });
    // Within a body, with the id that the head brought.
    const chunked = `${HEAD}X-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`;
    await refused(world, chunked, 'invalid_request', { errors, request_id: 'mine' });
    const [early, ...more] = await raw(world, `${HEAD}Content-Length: 10\r\n\r\n{`, { halfClose: true });
    assert.ok(early && more.length === 0);
    expectProblem(early, 'invalid_request', { errors });
  },
  'refuses to act as a proxy': async (world) => {
    const errors = [{ field: 'path', detail: 'must begin with a slash.' }];
    for (const path of NO_PATHS) await refused(world, lastGet(path), 'invalid_request', { errors });
    const fragment = [{ field: 'path', detail: 'must not have a fragment (#).' }];
    await refused(world, lastGet('/health#x'), 'invalid_request', { errors: fragment });
    await refused(world, lastGet('HTTP://127.0.0.1?x=1'), 'not_found');
    await refused(world, lastGet('http://evil.example/health'), 'host_not_allowed');
    assert.deepEqual(await raw(world, `CONNECT evil.example:443 HTTP/1.1\r\n${HOST}\r\n`), []);
    const upgrade = `GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`;
    for (const answered of [lastGet('http://localhost:8080/health'), upgrade, lastGet('/health', 'Expect: x\r\n')]) {
      assert.deepEqual(statuses(await raw(world, answered)), [200]);
    }
  },
  'refuses a URL or headers that are too long': {
    proves: ['uri_too_long', 'headers_too_large'],
    run: async (world) => {
      const target = (bytes: number) => lastGet(`/${'x'.repeat(bytes - 1)}`);
      const header = (bytes: number) => lastGet('/health', `X-Long: ${'x'.repeat(bytes)}\r\n`);
      assert.deepEqual(statuses(await raw(world, target(8_192))), [404]);
      assert.deepEqual(statuses(await raw(world, header(16_000))), [200]);
      await refused(world, target(8_193), 'uri_too_long');
      for (const bytes of [16_384, 1_000_000]) await refused(world, header(bytes), 'headers_too_large');
    },
  },
  'times out a request that arrives too slowly, and none that it is answering': {
    proves: ['request_timeout'],
    needs: ['paper venue'],
    slow: true,
    run: async (world) => {
      const { venue } = controlOf(world);
      const sent = sendings(world);
      // Slower than the time that a request may take to arrive.
      venue.arm({ fault: 'delay', path: '/order', ms: 11_000 });
      const order = raw(world, orderRequest(world, 'Connection: close\r\n'));
      const endless = `${HEAD}Content-Length: 100000000000\r\n\r\n${' '.repeat(20_000)}`;
      const texts = ['', 'GET /hea', 'GET /health HTTP/1.1\r\nHost: loc', endless];
      await Promise.all(texts.map((text) => refused(world, text, 'request_timeout')));
      assert.deepEqual([statuses(await order), sendings(world) - sent], [[201], 1]);
    },
  },
});

/** Checks that place orders, which no caller pays for. */
const WITH_ORDERS = section('local server', ['local server', 'paper venue', 'orders'], {
  'reads a body of any length before it answers': async (world) => {
    const order = JSON.stringify(restingOrder(world));
    const close = 'Connection: close\r\n';
    const sent = sendings(world);
    await refused(world, orderRequest(world, close, `${order}${' '.repeat(20_000_000)}`), 'payload_too_large');
    const chunk = `${(20_000).toString(16)}\r\n${' '.repeat(20_000)}\r\n0\r\n\r\n`;
    await refused(world, `${HEAD}${close}Transfer-Encoding: chunked\r\n\r\n${chunk}`, 'payload_too_large');
    assert.equal(sendings(world), sent);
    const { socket, answered, received } = openRaw(world, 'orders');
    socket.write(`${HEAD}${close}Expect: 100-continue\r\nContent-Length: ${order.length}\r\n\r\n`);
    await once(socket, 'data');
    assert.match(received(), /^HTTP\/1\.1 100 /);
    socket.write(order.slice(0, 50));
    setImmediate(() => socket.write(order.slice(50)));
    assert.deepEqual(statuses(await answered), [100, 201]);
  },
  'never answers later bytes in place of an order in progress': async (world) => {
    controlOf(world).venue.arm({ fault: 'delay', path: '/order', ms: 200 });
    const { socket, answered } = openRaw(world);
    socket.write(`${HEALTH}${orderRequest(world)}`);
    // The request before the order is answered, and the order is under way.
    await once(socket, 'data');
    socket.write('rubbish\r\n\r\n');
    assert.deepEqual(statuses(await answered), [200, 201]);
  },
  'handles no request after one that ends the connection or asks for another protocol': async (world) => {
    const sent = sendings(world);
    const upgrade = `GET /health HTTP/1.1\r\n${HOST}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`;
    for (const first of [LAST_HEALTH, upgrade]) {
      const answers = await raw(world, `${first}${orderRequest(world)}`);
      assert.deepEqual([statuses(answers), answers[0]?.headers.get('connection')], [[200], 'close']);
    }
    assert.equal(sendings(world), sent);
  },
  'answers a fault of its own with 500, without details': {
    needs: ['process'],
    proves: ['internal_error'],
    run: async (world) => {
      const { startFaulty } = processOf(world);
      for (const fault of [new TypeError('secret /etc/passwd'), 'a string', undefined, { code: 'not_found' }]) {
        const faulty = await startFaulty(fault);
        const answer = await faulty({ operation: 'health', target: '/health' });
        const detail = 'An unexpected error occurred. Report it with the request id.';
        expectProblem(answer, 'internal_error', { detail, title: 'Internal error' });
      }
    },
  },
});

/** Checks of the local server's HTTP. */
export const LOCAL_SERVER = [...ALONE, ...WITH_ORDERS];

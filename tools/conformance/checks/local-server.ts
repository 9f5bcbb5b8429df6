import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { expectProblem } from '../ask.ts';
import { type Check, isLocal, type World } from '../check.ts';
import type { Answer } from '../contract.ts';

/** A raw connection is given up after this time. */
const GIVE_UP_MS = 20_000;

/** Writes bytes to the server and reads what comes until it closes: what `fetch` would not send. */
function exchange(baseUrl: string, text: string): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let received = '';
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) });
  socket.setTimeout(GIVE_UP_MS, () => socket.destroy(new Error('the connection was not closed')));
  socket.on('data', (chunk) => {
    received += chunk.toString('utf8');
  });
  socket.on('error', reject).on('close', () => resolve(received));
  socket.write(text);
  return promise;
}

/** The answer to bytes, held against the document as an answer of health. */
async function raw({ baseUrl, contract }: World, text: string): Promise<Answer> {
  const received = await exchange(baseUrl, text);
  const [head = '', body = ''] = received.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(': ');
      return [name, value.join(': ')];
    }),
  );
  assert.match(statusLine, /^HTTP\/1\.1 \d{3} /, 'no answer');
  const answer = { method: 'GET', status: Number(statusLine.split(' ')[1]), headers, body: JSON.parse(body) };
  contract.checkAnswer('health', answer);
  return answer;
}

const CHECKS: readonly Omit<Check, 'group'>[] = [
  {
    name: 'refuses a Host that is not its own',
    run: async (world) => {
      const request = (host: string) => `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      for (const host of ['conformance.invalid', 'localhost.conformance.invalid', '127.0.0.1.nip.invalid:8080']) {
        expectProblem(await raw(world, request(host)), 'host_not_allowed');
      }
      expectProblem(await raw(world, 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n'), 'invalid_request');
    },
  },
  {
    name: 'answers what is no HTTP',
    run: async (world) => expectProblem(await raw(world, 'HELLO\r\n\r\n'), 'invalid_request'),
  },
  {
    name: 'bounds the URL and the headers',
    run: async ({ ask }) => {
      expectProblem(await ask({ operation: 'health', target: `/health?${'x'.repeat(8_192)}` }), 'uri_too_long');
      const headers = { 'x-long': 'x'.repeat(16_384) };
      expectProblem(await ask({ operation: 'health', target: '/health', headers }), 'headers_too_large');
    },
  },
  {
    name: 'waits for the headers for a bounded time',
    slow: true,
    run: async (world) =>
      expectProblem(await raw(world, 'GET /health HTTP/1.1\r\nHost: localhost\r\n'), 'request_timeout'),
  },
];

/** Checks of the local server. */
export const LOCAL_SERVER: readonly Check[] = CHECKS.map((check) => ({
  group: 'local server',
  applies: isLocal,
  ...check,
}));

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import type { GatewayEvent, GatewayHandler, GatewayResult } from '../../../functions/http.ts';
import { type Send, send } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';

/** Sends a request to a server whose handlers give `result`, and shows the event that they were given. */
async function exchange(request: Send, result: GatewayResult = {}) {
  const events: GatewayEvent[] = [];
  const handler: GatewayHandler = async (event) => {
    events.push(event);
    return result;
  };
  const { url } = await startTestServer({ handlers: { health: handler, book: handler } });
  const answer = await send(url, request);
  return { event: events[0], answer };
}

it("the event of a request is the gateway's, member by member, with the duplicates of headers that Node would drop", async () => {
  const { event } = await exchange({
    path: '/v1/book/1%2B2?a=1&b=x%20y&a=2',
    headers: [
      ...['Host', 'LocalHost:1', 'User-Agent', 'probe/1', 'X-Thing', '1', 'x-thing', '2'],
      ...['Content-Type', 'text/a', 'Content-Type', 'text/b', 'Authorization', '1', 'Authorization', '2'],
    ],
  });
  const single = { host: 'LocalHost:1', 'user-agent': 'probe/1', connection: 'close' };
  expect(event).toStrictEqual({
    rawPath: '/v1/book/1%2B2',
    rawQueryString: 'a=1&b=x%20y&a=2',
    headers: { ...single, 'x-thing': '1,2', 'content-type': 'text/a,text/b', authorization: '1,2' },
    pathParameters: { token_id: '1+2' },
    requestContext: {
      domainName: 'LocalHost:1',
      http: { method: 'GET' },
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      timeEpoch: expect.any(Number),
    },
    isBase64Encoded: true,
  });
});

const HEALTH = { path: '/health', headers: { host: 'localhost' } };

it("the answer to a request is the handler's result, or internal_error if that cannot be written", async () => {
  const result = { statusCode: 418, headers: { 'x-a': 'b', 'x-n': 1, 'x-t': true }, body: 'ä' };
  const { answer } = await exchange(HEALTH, result);
  const headers = { 'x-a': 'b', 'x-n': '1', 'x-t': 'true', 'content-length': '2' };
  expect(answer).toMatchObject({ status: 418, headers, text: 'ä' });
  expect([answer.headers['x-powered-by'], answer.headers.etag]).toStrictEqual([undefined, undefined]);
  const unwritable = await exchange(HEALTH, { headers: { 'x-thing': 'a\r\nb: c' } });
  expect([unwritable.answer.status, JSON.parse(unwritable.answer.text).code]).toStrictEqual([500, 'internal_error']);
});

it('two lengths of one body are refused, also with a lenient Node', async () => {
  const script = `
    const { startServer } = await import('./local/http/server.ts');
    const { connect } = await import('node:net');
    const log = { info() {}, warn() {}, error() {} };
    const server = await startServer({ handlers: {}, config: { host: '127.0.0.1', port: 0, allowedHosts: [] }, log });
    const socket = connect(new URL(server.url).port, '127.0.0.1');
    socket.write('POST /v1/orders HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 3\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n');
    socket.once('data', (data) => { console.log(String(data).split('\\r\\n')[0]); process.exit(); });`;
  const args = ['--insecure-http-parser', '--input-type=module', '--eval', script];
  expect((await promisify(execFile)(process.execPath, args)).stdout).toBe('HTTP/1.1 400 Bad Request\n');
});

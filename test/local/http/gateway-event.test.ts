import { describe, expect, it } from '@jest/globals';
import type { GatewayEvent, GatewayHandler, GatewayResult, InvocationContext } from '../../../functions/http.ts';
import { startServer } from '../../../local/http/server.ts';
import { collectLog } from '../../support/service/collected-log.ts';
import { type Answer, type Send, send } from '../../support/service/http-client.ts';

interface Exchange {
  readonly event: GatewayEvent;
  readonly context: InvocationContext;
  readonly answer: Answer;
}

/** Sends a request to a server whose handlers all give `result`, and shows the event that they were given. */
async function exchange(request: Send, result: GatewayResult = {}): Promise<Exchange> {
  const seen: { event: GatewayEvent; context: InvocationContext }[] = [];
  const handler: GatewayHandler = async (event, context) => {
    seen.push({ event, context });
    return result;
  };
  const server = await startServer({
    handlers: { health: handler, markets: handler, book: handler, orders: handler, unknown: handler },
    config: { host: '127.0.0.1', port: 0, allowedHosts: [] },
    log: collectLog().log,
  });
  try {
    const answer = await send(server.url, request);
    const [first] = seen;
    if (!first) throw new Error(`No handler was called: ${answer.status} ${answer.text}`);
    return { ...first, answer };
  } finally {
    await server.close();
  }
}

async function eventOf(request: Send): Promise<GatewayEvent> {
  return (await exchange(request)).event;
}

describe('the event of a request', () => {
  it("is the gateway's, member by member", async () => {
    const event = await eventOf({
      path: '/v1/book/1%2B2?a=1&b=x%20y&a=2',
      headers: ['Host', 'LocalHost:1', 'User-Agent', 'probe/1', 'X-Thing', '1', 'x-thing', '2'],
    });
    expect(event).toStrictEqual({
      rawPath: '/v1/book/1%2B2',
      rawQueryString: 'a=1&b=x%20y&a=2',
      headers: { host: 'LocalHost:1', 'user-agent': 'probe/1', 'x-thing': '1,2', connection: 'close' },
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

  it('keeps duplicates of headers that Node would drop', async () => {
    const { headers } = await eventOf({
      path: '/health',
      headers: [
        'Host',
        'localhost',
        'Content-Type',
        'text/a',
        'Content-Type',
        'text/b',
        'Authorization',
        '1',
        'Authorization',
        '2',
      ],
    });
    expect(headers).toMatchObject({ host: 'localhost', 'content-type': 'text/a,text/b', authorization: '1,2' });
  });
});

describe('the answer to a request', () => {
  const headers = { host: 'localhost' };

  it("is the handler's result", async () => {
    const { answer } = await exchange(
      { path: '/health', headers },
      { statusCode: 418, headers: { 'x-a': 'b', 'x-n': 1, 'x-t': true }, body: 'ä' },
    );
    expect(answer).toMatchObject({
      status: 418,
      headers: { 'x-a': 'b', 'x-n': '1', 'x-t': 'true', 'content-length': '2' },
      text: 'ä',
    });
    expect(answer.headers['x-powered-by']).toBeUndefined();
    expect(answer.headers.etag).toBeUndefined();
  });

  it('is the problem of a fault of ours where it cannot be written', async () => {
    const { answer } = await exchange({ path: '/health', headers }, { headers: { 'x-thing': 'a\r\nb: c' } });
    expect([answer.status, JSON.parse(answer.text).code]).toStrictEqual([500, 'internal_error']);
  });
});

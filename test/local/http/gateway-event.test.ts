import { describe, expect, it } from '@jest/globals';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { GatewayHandler } from '../../../functions/pipeline.ts';
import { startServer } from '../../../local/http/server.ts';
import { collectLog } from '../../support/service/collected-log.ts';
import { type Answer, type Send, send } from '../../support/service/http-client.ts';

interface Exchange {
  readonly event: APIGatewayProxyEventV2;
  readonly context: Context;
  readonly answer: Answer;
}

/** Sends a request to a server whose handlers all give `result`, and shows the event that they were given. */
async function exchange(request: Send, result: APIGatewayProxyStructuredResultV2 = {}): Promise<Exchange> {
  const seen: { event: APIGatewayProxyEventV2; context: Context }[] = [];
  const handler: GatewayHandler = async (event, context) => {
    seen.push({ event: { ...event, ...(await context.receiveBody?.()) }, context });
    return result;
  };
  const server = await startServer({
    handlers: { health: handler, markets: handler, book: handler, orders: handler, unknown: handler },
    config: { host: '127.0.0.1', port: 0, allowedHosts: [], corsOrigins: [] },
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

async function eventOf(request: Send): Promise<APIGatewayProxyEventV2> {
  return (await exchange(request)).event;
}

describe('the event of a request', () => {
  it("is the gateway's, member by member", async () => {
    const event = await eventOf({
      path: '/v1/book/1%2B2?a=1&b=x%20y&a=2',
      headers: ['Host', 'LocalHost:1', 'User-Agent', 'probe/1', 'X-Thing', '1', 'x-thing', '2', 'Cookie', 'a=1; b=2'],
    });
    expect(event).toStrictEqual({
      version: '2.0',
      routeKey: 'ANY /v1/book/{token_id}',
      rawPath: '/v1/book/1+2',
      rawQueryString: 'a=1&b=x%20y&a=2',
      queryStringParameters: { a: '1,2', b: 'x y' },
      cookies: ['a=1', 'b=2'],
      headers: { host: 'LocalHost:1', 'user-agent': 'probe/1', 'x-thing': '1,2' },
      pathParameters: { token_id: '1+2' },
      requestContext: {
        accountId: 'anonymous',
        apiId: 'local',
        domainName: 'LocalHost:1',
        domainPrefix: 'LocalHost:1',
        http: {
          method: 'GET',
          path: '/v1/book/1+2',
          protocol: 'HTTP/1.1',
          sourceIp: '127.0.0.1',
          userAgent: 'probe/1',
        },
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        routeKey: 'ANY /v1/book/{token_id}',
        stage: '$default',
        time: expect.stringMatching(/^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/),
        timeEpoch: expect.any(Number),
      },
      isBase64Encoded: false,
    });
  });

  it('leaves out what the gateway leaves out: empty queries, parameters, cookies and bodies', async () => {
    const event = await eventOf({ path: '/health', headers: { host: 'localhost' } });
    expect(Object.keys(event).sort()).toStrictEqual(
      ['headers', 'isBase64Encoded', 'rawPath', 'rawQueryString', 'requestContext', 'routeKey', 'version'].sort(),
    );
    expect(event.rawQueryString).toBe('');
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
    expect(headers).toStrictEqual({ host: 'localhost', 'content-type': 'text/a,text/b', authorization: '1,2' });
  });

  it('holds no header that belongs to the connection', async () => {
    const { headers } = await eventOf({
      path: '/health',
      headers: { host: 'localhost', connection: 'close', te: 'trailers', 'keep-alive': '1' },
    });
    expect(headers).toStrictEqual({ host: 'localhost' });
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'application/xml',
    'application/javascript',
    'application/problem+json',
    'APPLICATION/LD+JSON;a=b',
  ])('gives a body of %s as text', async (type) => {
    const event = await eventOf({
      method: 'POST',
      path: '/v1/orders',
      headers: { host: 'localhost', 'content-type': type },
      body: 'ä{',
    });
    expect([event.body, event.isBase64Encoded]).toStrictEqual(['ä{', false]);
  });

  it.each(['application/octet-stream', 'image/png', 'application/jsonx', 'application/x-www-form-urlencoded', ''])(
    'gives a body of type "%s" as base64',
    async (type) => {
      const headers = { host: 'localhost', ...(type !== '' && { 'content-type': type }) };
      const event = await eventOf({ method: 'POST', path: '/v1/orders', headers, body: Buffer.from([0xff, 0, 1]) });
      expect([event.body, event.isBase64Encoded]).toStrictEqual(['/wAB', true]);
    },
  );

  it('holds the bytes of a body that came in chunks', async () => {
    const headers = { host: 'localhost', 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const event = await eventOf({ method: 'POST', path: '/v1/orders', headers, body: '{"a":1}' });
    expect(event.body).toBe('{"a":1}');
    expect(event.headers).toStrictEqual({ host: 'localhost', 'content-type': 'application/json' });
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('reaches the endpoint with %s', async (method) => {
    expect(
      (await eventOf({ method, path: '/v1/orders', headers: { host: 'localhost' } })).requestContext.http.method,
    ).toBe(method);
  });

  it('comes with a context that never cuts a handler short', async () => {
    const { context, event } = await exchange({ path: '/health', headers: { host: 'localhost' } });
    expect(context.getRemainingTimeInMillis()).toBe(Number.MAX_SAFE_INTEGER);
    expect(context.awsRequestId).toBe(event.requestContext.requestId);
  });
});

describe('the answer to a request', () => {
  const headers = { host: 'localhost' };

  it("is the handler's result", async () => {
    const { answer } = await exchange(
      { path: '/health', headers },
      { statusCode: 418, headers: { 'x-a': 'b', 'x-n': 1, 'x-t': true }, cookies: ['a=1', 'b=2'], body: 'ä' },
    );
    expect(answer).toMatchObject({
      status: 418,
      headers: { 'x-a': 'b', 'x-n': '1', 'x-t': 'true', 'set-cookie': ['a=1', 'b=2'], 'content-length': '2' },
      text: 'ä',
    });
    expect(answer.headers['x-powered-by']).toBeUndefined();
    expect(answer.headers.etag).toBeUndefined();
  });

  it('decodes a base64 body', async () => {
    const { answer } = await exchange(
      { path: '/health', headers },
      { statusCode: 200, body: 'aGk=', isBase64Encoded: true },
    );
    expect([answer.text, answer.headers['content-length']]).toStrictEqual(['hi', '2']);
  });

  it('is 200 where the handler names no status', async () => {
    expect((await exchange({ path: '/health', headers }, { body: 'x' })).answer.status).toBe(200);
  });

  it.each([
    ['HEAD', 200],
    ['GET', 204],
    ['GET', 304],
  ])('has no body for %s with %i', async (method, statusCode) => {
    const { answer } = await exchange({ method, path: '/health', headers }, { statusCode, body: 'x' });
    expect([answer.status, answer.text, answer.headers['transfer-encoding']]).toStrictEqual([
      statusCode,
      '',
      undefined,
    ]);
  });
});

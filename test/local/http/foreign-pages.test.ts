import { describe, expect, it } from '@jest/globals';
import { createForeignPageLimit } from '../../../local/http/request-head.ts';
import { describeInChromium, openPage } from '../../support/page/chromium.ts';
import { expectProblem, openRaw, parseAnswers, send } from '../../support/service/http-client.ts';
import { LISTED_ORIGIN, startTestServer } from '../../support/service/local-service.ts';
import { fakeMarketData, TOKEN_ID } from '../../support/venue/fake-venue.ts';

const FOREIGN = { headers: [['origin', 'https://evil.example']] } as const;

/** A limit with a clock, and a count of the requests that it lets pass. */
function setUp() {
  const clock = { now: 0 };
  const limit = createForeignPageLimit([LISTED_ORIGIN], () => clock.now);
  const passing = (requests: number, head: Parameters<typeof limit>[0] = FOREIGN) => {
    let passed = 0;
    for (let n = 0; n < requests; n += 1) {
      try {
        limit(head);
        passed += 1;
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited', retryAfter: 1 });
      }
    }
    return passed;
  };
  return { clock, passing };
}

describe('requests from pages of unlisted origins', () => {
  it('share 20 at once and 20 a second', () => {
    const { clock, passing } = setUp();
    expect(passing(30)).toBe(20);
    clock.now += 49;
    expect(passing(1)).toBe(0);
    clock.now += 2;
    expect(passing(2)).toBe(1);
    clock.now += 500;
    expect(passing(30)).toBe(10);
    clock.now += 3_600_000;
    expect(passing(30)).toBe(20);
  });

  it.each([
    ['a request without an origin', []],
    ['a listed origin', [['origin', LISTED_ORIGIN]]],
    [
      'a listed origin, as browsers send it',
      [
        ['origin', LISTED_ORIGIN],
        ['sec-fetch-site', 'cross-site'],
      ],
    ],
    ['the address bar', [['sec-fetch-site', 'none']]],
    ['a page of our own', [['sec-fetch-site', 'same-origin']]],
  ] as const)('take nothing from others: %s', (_what, headers) => {
    const { passing } = setUp();
    expect(passing(30)).toBe(20);
    expect(passing(100, { headers })).toBe(100);
  });

  it.each([
    ['a sandboxed frame', [['origin', 'null']]],
    ['another port', [['origin', `${LISTED_ORIGIN}:8443`]]],
    [
      'two origins',
      [
        ['origin', LISTED_ORIGIN],
        ['origin', 'https://evil.example'],
      ],
    ],
    ['an empty one', [['origin', '']]],
    ['a picture on another site', [['sec-fetch-site', 'cross-site']]],
    ['a picture on another port', [['sec-fetch-site', 'same-site']]],
  ] as const)('are those of %s too', (_what, headers) => {
    expect(setUp().passing(30, { headers })).toBe(20);
  });
});

describe('the local server', () => {
  it('answers 429 above the limit, on every path and method, where a page can read it, and asks nobody', async () => {
    let reads = 0;
    const readBook = async () => {
      reads += 1;
      throw new Error('asked');
    };
    const { url, lines } = await startTestServer({ marketData: fakeMarketData({ readBook }) });
    const targets = [
      `GET /v1/book/${TOKEN_ID}`,
      'GET /v1/nothing',
      'OPTIONS /v1/orders',
      'HEAD /health',
      'PUT /health',
    ];
    const head = 'HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example\r\n';
    const last = 'GET /v1/markets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    // Far more than come back in the time that they take.
    const received = Array.from({ length: 30 }, async () => {
      const { socket, closed } = openRaw(url);
      socket.write(
        `${targets
          .map((target) => `${target} ${head}\r\n`)
          .join('')
          .repeat(3)}${last}`,
      );
      return closed;
    });
    const refused = (await Promise.all(received))
      .join('')
      .split(/(?=HTTP\/1\.1 )/)
      .filter((answer) => answer.startsWith('HTTP/1.1 429'));
    expect(refused.length).toBeGreaterThan(200);
    const [answer] = parseAnswers(refused.find((text) => text.includes('"code"')) ?? '');
    expectProblem(answer, {
      status: 429,
      code: 'rate_limited',
      detail:
        'Web pages of unlisted origins send too many requests; slow down, or let the operator list yours in SERVICE_CORS_ORIGINS.',
    });
    expect(answer?.headers).toMatchObject({ 'access-control-allow-origin': '*', 'retry-after': '1' });
    expect(answer?.headers['access-control-expose-headers']).toContain('Retry-After');
    expect(reads).toBeLessThan(80);
    expect(lines).toContainEqual(expect.objectContaining({ status: 429, code: 'rate_limited', route: null }));
    const own = await send(url, { path: '/v1/markets', headers: { host: 'localhost', origin: LISTED_ORIGIN } });
    expect(own.status).toBe(200);
  });

  it('looks at the host first', async () => {
    const { url } = await startTestServer();
    const headers = { host: 'evil.example', origin: 'http://evil.example' };
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(url, { path: '/health', headers })));
    expect(new Set(answers.map(({ status }) => status))).toStrictEqual(new Set([403]));
  });
});

describeInChromium('a page of another origin', () => {
  it('gets no further with reads whose answers it cannot see', async () => {
    const foreign = await startTestServer();
    const { url, lines } = await startTestServer();
    const page = await openPage();
    await page.goto(`${foreign.url}/health`);
    await page.evaluate(async (target) => {
      const read = () => fetch(target, { mode: 'no-cors' });
      for (let n = 0; n < 60; n += 1) await Promise.all([read(), read(), read(), read()]);
    }, `${url}/v1/book/${TOKEN_ID}`);
    const refused = lines.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(50);
  });
});

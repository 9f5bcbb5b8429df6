import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { bookEndpoint } from '../../functions/book/endpoint.ts';
import { gzipped } from '../../functions/gzipped.ts';
import { ask, type EventParts } from '../support/service/gateway-event.ts';
import { BOOK, fakeMarketData, TOKEN_ID } from '../support/venue/fake-venue.ts';

const endpoint = bookEndpoint(fakeMarketData({ readBook: async () => ({ ...BOOK, hash: 'b7e1' }) }));

/** The book of the service, and that of a function which compresses. */
async function askBoth(headers: Record<string, string>, parts: EventParts = {}) {
  const sent = { pathParameters: { token_id: TOKEN_ID }, ...parts, headers: { 'x-request-id': 'mine', ...headers } };
  const plain = await ask(endpoint, sent);
  const { result } = await ask(endpoint, sent, { wrap: gzipped });
  return { plain: plain.result, result };
}

describe('a function that compresses', () => {
  it.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.5', 'deflate,gzip ; q=0.001'])(
    'answers %j in gzip, under a weak tag',
    async (accepted) => {
      const { plain, result } = await askBoth({ 'accept-encoding': accepted });
      const { body = '', isBase64Encoded, ...rest } = result;
      expect(rest).toStrictEqual({
        statusCode: 200,
        headers: { ...plain.headers, etag: 'W/"b7e1"', vary: 'Accept-Encoding', 'content-encoding': 'gzip' },
      });
      expect(isBase64Encoded).toBe(true);
      expect(gunzipSync(Buffer.from(body, 'base64')).toString()).toBe(plain.body);
    },
  );

  it.each(['', 'br', 'gzip;q=0', 'gzip; q=0.0', 'deflate, gzip;q=0', '*', 'xgzip', 'gzip;q=x'])(
    'answers %j as it is',
    async (accepted) => {
      const { plain, result } = await askBoth({ 'accept-encoding': accepted });
      // A cache must not hand it to those who take gzip, nor the other way round.
      expect(result).toStrictEqual({ ...plain, headers: { ...plain.headers, vary: 'Accept-Encoding' } });
    },
  );

  it('takes its own tag for the same book, and answers with it', async () => {
    const headers = { 'accept-encoding': 'gzip', 'if-none-match': 'W/"b7e1"' };
    const { plain, result } = await askBoth(headers);
    expect(plain.statusCode).toBe(304);
    expect(result).toStrictEqual({
      ...plain,
      headers: { ...plain.headers, etag: 'W/"b7e1"', vary: 'Accept-Encoding' },
    });
  });

  it('answers HEAD without a body, and problems as they are', async () => {
    const gzip = { 'accept-encoding': 'gzip' };
    const head = await askBoth(gzip, { method: 'HEAD' });
    expect([head.result.statusCode, head.result.body, head.result.isBase64Encoded]).toStrictEqual([
      200,
      undefined,
      undefined,
    ]);
    const wrong = await askBoth(gzip, { pathParameters: { token_id: '07' } });
    expect(wrong.result.statusCode).toBe(400);
    expect(wrong.result).toStrictEqual(wrong.plain);
  });
});

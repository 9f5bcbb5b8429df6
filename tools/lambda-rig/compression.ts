import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { get } from './requests.ts';
import type { Deployment } from './ways.ts';

const GZIP = { 'accept-encoding': 'gzip, deflate, br' } as const;

/** Checks the compression of answers, whose bytes AWS bills. */
export function describeCompression(token: string, lambda: Deployment): void {
  describe('a client that accepts gzip', () => {
    for (const path of [`/v1/book/${token}`, '/v1/markets']) {
      it(`gets the same of ${path.slice(0, 8)} in it`, async () => {
        const plain = await lambda.send(get(path));
        const { status, headers, body } = await lambda.send(get(path, GZIP));
        assert.deepEqual([status, headers['content-encoding'], headers['vary']], [200, 'gzip', 'Accept-Encoding']);
        assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined]);
        assert.deepEqual(body, plain.body);
      });
    }

    it('is told that its book is current', async () => {
      const { headers } = await lambda.send(get(`/v1/book/${token}`, GZIP));
      const { etag = '' } = headers;
      const again = await lambda.send(get(`/v1/book/${token}`, { ...GZIP, 'if-none-match': etag }));
      assert.deepEqual([again.status, again.headers['etag'], again.body], [304, etag, undefined]);
      assert.match(etag, /^W\/"\w+"$/);
    });
  });
}

import { describe, expect, it } from '@jest/globals';
import { EXAMPLES } from '../../../tools/openapi/examples.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

/** The moment of the examples, so that the invented markets are always the same. */
const NOW = Date.parse('2026-10-05T09:10:10.525Z');

/** An order is salted: each has another id. */
function comparable(body: object): object {
  return 'order_id' in body ? { ...body, order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) } : body;
}

describe('the examples of the document', () => {
  it('are the answers of a service on paper', async () => {
    const { url } = await startPaperService({}, { now: () => NOW });
    for (const { target, send, answer } of Object.values(EXAMPLES)) {
      const order = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(send) };
      const response = await fetch(url + target, send ? order : {});
      expect(await response.json()).toStrictEqual(comparable(answer));
      expect(response.status).toBe(send ? 201 : 200);
    }
  });
});

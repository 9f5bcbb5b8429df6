import { describe, expect, it } from '@jest/globals';
import { startPaperService } from '../../support/service/paper-service.ts';
import { EXAMPLES, type Exchange } from './examples.ts';

/** The moment of the examples, so that the invented markets are always the same. */
const NOW = Date.parse('2026-10-05T09:10:10.525Z');

function ask(url: string, { target, headers, send }: Exchange): Promise<Response> {
  const common = { 'x-request-id': 'example-1', ...headers };
  if (!send) return fetch(url + target, { headers: common });
  const body = JSON.stringify(send);
  return fetch(url + target, { method: 'POST', headers: { ...common, 'content-type': 'application/json' }, body });
}

/** An order is salted: its id is another each time; a challenge ends with the time. */
function comparable(body: object): object {
  if ('order_id' in body) return { ...body, order_id: expect.stringMatching(/^0x[0-9a-f]{64}$/) };
  if (!('challenge' in body)) return body;
  const upToTime = String(body.challenge).replace(/[^ ]*$/, '');
  return { ...body, challenge: expect.stringMatching(new RegExp(`^${upToTime}[0-9TZ:-]{20}$`)) };
}

describe('every example of the document', () => {
  it.each(EXAMPLES)('is what a service on paper answers: $operation $name', async (example) => {
    const { url } = await startPaperService(example.settings, { now: () => NOW });
    const response = await ask(url, example);
    expect(await response.json()).toStrictEqual(comparable(example.answer));
    expect(response.status).toBe(example.status);
  });
});

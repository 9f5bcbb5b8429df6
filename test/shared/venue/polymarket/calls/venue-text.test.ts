import { describe, expect, it } from '@jest/globals';
import { cleanVenueReason } from '../../../../../shared/venue/polymarket/calls/venue-text.ts';
import { API_KEY, API_SECRET, PASSPHRASE } from '../../../../support/orders/trading-world.ts';

const SECRETS = [API_KEY, API_SECRET, PASSPHRASE];
const ADDRESS = '0x00000000000000000000000000000000000F00d5';

describe("the venue's sentence", () => {
  it.each([
    ['invalid post-only order: order crosses book', 'invalid post-only order: order crosses book'],
    [`maker ${ADDRESS} is odd`, `maker ${ADDRESS} is odd`],
    [`maker=${ADDRESS}, size=5`, `maker=${ADDRESS}, size=5`],
    [`'${ADDRESS}' address banned`, `'${ADDRESS}' address banned`],
    [`the key ${API_KEY} is bad`, 'the key [removed] is bad'],
    [`the key ${API_KEY.toUpperCase()} is bad`, 'the key [removed] is bad'],
    [`pass ${PASSPHRASE}.`, 'pass [removed].'],
    [`secret "${API_SECRET}"`, 'secret "[removed]"'],
    ['uuid 11112222-3333-4444-8555-666677778888!', 'uuid [removed]!'],
    [`hash 0x${'ab12'.repeat(16)}`, 'hash [removed]'],
    [`token ${API_KEY.slice(0, 4)}${ADDRESS}`, 'token [removed]'],
    [`token ${ADDRESS}${API_KEY.slice(0, 4)}`, 'token [removed]'],
    ['token AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEf', 'token [removed]'],
    ['api_key=k1k1k1k1k1k1k1k1k1k1', 'api_key=[removed]'],
    [`token ${'7'.repeat(77)}`, `token ${'7'.repeat(77)}`],
    ['see https://docs.example.com/api-reference/geoblock', 'see https://docs.example.com/api-reference/geoblock'],
    ['two\r\nlines\u0000 and\u200b  a\ttab ', 'two lines and a tab'],
    ['', ''],
  ])('%j is passed on as %j', (text, cleaned) => {
    expect(cleanVenueReason(text, SECRETS)).toBe(cleaned);
  });

  it('has at most 200 characters, none of them split', () => {
    expect(cleanVenueReason(`${'x '.repeat(99)}x😀😀`, [])).toBe(`${'x '.repeat(99)}x😀`);
  });
});

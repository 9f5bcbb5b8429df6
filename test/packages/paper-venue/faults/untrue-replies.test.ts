import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { plainMarket } from '../../../support/venue/paper-markets.ts';
import { type RunningPaper, startPaper } from '../../../support/venue/paper-venue.ts';

let paper: RunningPaper;

beforeEach(async () => {
  paper = await startPaper();
});

describe('a fault of one path', () => {
  it('waits for its own path, unless it names another', async () => {
    paper.venue.arm({ fault: 'geoblock-country', text: 'CA-QC' });
    await paper.get('/time');
    expect((await paper.get('/api/geoblock')).body).toMatchObject({ country: 'CA', region: 'QC' });
    expect((await paper.get('/api/geoblock')).body).toMatchObject({ country: 'IE', region: 'L' });
    paper.venue.arm({ fault: 'geoblock-country', path: '/ok' });
    expect((await paper.get('/api/geoblock')).body).toMatchObject({ country: 'IE' });
    expect((await paper.get('/ok')).body).toMatchObject({ country: 'GB' });
  });

  it('makes no fact of a refusal', async () => {
    paper.venue.arm([{ fault: 'no-funds' }, { fault: 'bad-book-hash' }]);
    expect(await paper.get('/balance-allowance')).toMatchObject({ status: 401 });
    expect(await paper.get('/book?token_id=1')).toMatchObject({ status: 404 });
  });

  it('makes a market whose ids cannot be read', async () => {
    paper.venue.arm({ fault: 'unusable-market' });
    const { body } = await paper.get('/markets/keyset?limit=2');
    expect(body).toMatchObject({
      markets: [{ clobTokenIds: '["0x1f", "0x2f"]' }, { clobTokenIds: expect.any(String) }],
    });
  });

  it.each([
    ['bad-book-hash', false, {}],
    [
      'off-tick-level',
      true,
      { bids: expect.arrayContaining([{ price: expect.stringMatching(/00005$/), size: expect.any(String) }]) },
    ],
    ['other-book-version', true, { version: 'v2' }],
  ] as const)('makes a book otherwise: %s', async (fault, isHashed, changes) => {
    const { yes } = await plainMarket(paper);
    paper.venue.arm({ fault });
    const book = z.looseObject({ hash: z.string() });
    const text = await (await fetch(`${paper.url}/book?token_id=${yes}`)).text();
    const changed = book.parse(JSON.parse(text));
    expect(changed).toMatchObject(changes);
    const hash = createHash('sha1').update(text.replace(changed.hash, '')).digest('hex');
    expect(changed.hash === hash).toBe(isHashed);
  });
});

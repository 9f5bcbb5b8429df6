import { describe, expect, it } from '@jest/globals';
import createClient from 'openapi-fetch';
import type { components, paths } from '../../../packages/client/api.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

/** The order as a caller writes it: without what may be left out. The check of types compiles it. */
const ORDER: components['schemas']['OrderRequest'] = { token_id: '1', side: 'buy', price: '0.01', size: 5 };

describe('a client that is generated from the document', () => {
  it('reads and places in the code that everybody writes', async () => {
    const { url, venue } = await startPaperService();
    const client = createClient<paths>({ baseUrl: url });
    const { data: markets } = await client.GET('/v1/markets', { params: { query: { limit: 1 } } });
    const token_id = markets?.items[0]?.outcomes[0]?.token_id ?? '';
    const { data: book } = await client.GET('/v1/book/{token_id}', { params: { path: { token_id } } });
    const price = book?.tick_size ?? '';
    const { data: placed } = await client.POST('/v1/orders', { body: { ...ORDER, token_id, price } });
    expect(venue.orders()).toMatchObject([{ id: placed?.order_id, post_only: false }]);
  });

  it('has a code and a sentence in each error, and the facts of a code once it is known', async () => {
    const { url } = await startPaperService();
    const client = createClient<paths>({ baseUrl: url });
    const { data: markets } = await client.GET('/v1/markets');
    const token_id = markets?.items[0]?.outcomes[0]?.token_id ?? '';
    const headers = { 'Idempotency-Key': 'key-1' };
    const body = { ...ORDER, token_id, price: 0.015 };
    const { error } = await client.POST('/v1/orders', { params: { header: headers }, body });
    expect([error?.code, error?.detail]).toStrictEqual([
      'price_off_tick',
      'The price must be a multiple of 0.01. Send a computed price as a decimal string, such as "0.3": a JSON number keeps the error of its float.',
    ]);
    expect(error?.code === 'price_off_tick' ? error.tick_size : undefined).toBe('0.01');
    const { error: unknown } = await client.GET('/v1/book/{token_id}', { params: { path: { token_id: '1' } } });
    expect([unknown?.code, unknown?.status]).toStrictEqual(['unknown_token', 404]);
    const { error: none } = await client.GET('/health');
    expect(none?.code).toBeUndefined();
  });
});

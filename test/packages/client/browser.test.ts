import { readFile } from 'node:fs/promises';
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { evmWallet, solanaWallet } from '../../../tools/support/client-wallets.ts';
import { describeInChromium, openPage } from '../../support/page/chromium.ts';
import { bundleClient } from '../../support/page/client-bundle.ts';
import { startSite } from '../../support/page/static-site.ts';
import { startPaperService } from '../../support/service/paper-service.ts';

/** Runs an expression of `client` in a page: its value, or the members of the error. */
async function evaluate(page: Page, baseUrl: string, expression: string): Promise<unknown> {
  return page.evaluate(`(async () => {
    const { createClient } = await import('/client.js');
    const client = createClient({ baseUrl: ${JSON.stringify(baseUrl)} });
    const tokenOf = async () => (await client.markets({ limit: 1 })).items[0].outcomes[0].token_id;
    const order = async () => ({ token_id: await tokenOf(), side: 'buy', price: '0.01', size: 5, post_only: true });
    try {
      return await (${expression});
    } catch (error) {
      return { ...error };
    }
  })()`);
}

/** The wallets of a page: `signText` is the hand of their user. */
const STAND_INS = `
  const ethereum = {
    request: async ({ method, params }) => (method === 'eth_requestAccounts' ? [walletAddress] : signText(params[0])),
  };
  const solana = {
    connect: async () => ({ publicKey: { toString: () => walletAddress } }),
    signMessage: async (bytes) => ({ signature: fromBase58(await signText(new TextDecoder().decode(bytes))) }),
  };
  const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  const fromBase58 = (text) => {
    const value = [...text].reduce((sum, digit) => 58n * sum + BigInt(ALPHABET.indexOf(digit)), 0n);
    return Uint8Array.from(value.toString(16).padStart(128, '0').match(/../g), (byte) => parseInt(byte, 16));
  };
`;

async function openAll() {
  const { origin: listed, otherOrigin: stranger } = await startSite({ '/client.js': await bundleClient() });
  const service = await startPaperService({ SERVICE_CORS_ORIGINS: listed });
  const page = await openPage();
  const visit = async (origin: string) => {
    await page.goto(origin);
    return (expression: string) => evaluate(page, service.url, expression);
  };
  return { ...service, listed, stranger, visit, close: () => page.close() };
}

describeInChromium('a web page of another origin', () => {
  it('reads, and places orders where its origin is listed', async () => {
    const { visit, listed, venue, close } = await openAll();
    const run = await visit(listed);
    expect(await run('client.health()')).toMatchObject({ status: 'ok', mode: 'order-placing' });
    expect(await run('client.markets({ limit: 2 })')).toMatchObject({ items: [{}, {}], has_more: true });
    expect(await run('client.book(await tokenOf())')).toMatchObject({ tick_size: '0.01' });
    const placed = await run("client.placeOrder(await order(), { clientAddress: 'page' })");
    expect(placed).toMatchObject({ status: 'live', price: '0.01' });
    expect(venue.orders()).toHaveLength(1);
    await close();
  });

  it('learns the code, the request id and when to come back', async () => {
    const { visit, listed, venue, close } = await openAll();
    const run = await visit(listed);
    expect(await run("client.placeOrder({ ...await order(), price: '0.015' })")).toMatchObject({
      code: 'price_off_tick',
      status: 422,
      requestId: expect.any(String),
      facts: { tick_size: '0.01' },
    });
    venue.arm({ fault: 'rate-limit', path: '/book', retry_after: 60 });
    expect(await run('client.book(await tokenOf())')).toMatchObject({ code: 'rate_limited', retryAfter: 60 });
    await close();
  });

  it('reads markets, but neither health nor places orders where its origin is not listed', async () => {
    const { url, visit, stranger, venue, close } = await openAll();
    const run = await visit(stranger);
    expect(await run('client.markets({ limit: 1 })')).toMatchObject({ items: [{}] });
    const detail =
      `No answer from ${url}. Is the service running? ` +
      `For orders and health, is ${stranger} in its SERVICE_CORS_ORIGINS?`;
    expect(await run('client.health()')).toMatchObject({ code: 'network_error', detail });
    expect(await run('client.placeOrder(await order())')).toMatchObject({ code: 'network_error', detail });
    // What a page can send without a preflight does not pass either.
    const init = "{ method: 'POST', mode: 'no-cors', body: JSON.stringify(await order()) }";
    expect(await run(`fetch('${url}/v1/orders', ${init}).then(({ type }) => type)`)).toBe('opaque');
    expect(venue.orders()).toStrictEqual([]);
    await close();
  });

  // The examples of the README, with stand-ins for what wallets put into a page.
  it.each([
    ['MetaMask', 'eth_requestAccounts', async () => evmWallet('b')],
    ['Phantom', 'solana.connect()', () => solanaWallet(11)],
  ] as const)('places orders that a wallet in the page signs: %s', async (_name, holds, make) => {
    const { origin } = await startSite({ '/client.js': await bundleClient() });
    const { url, venue } = await startPaperService({
      SERVICE_CORS_ORIGINS: origin,
      SERVICE_CLIENT_VERIFICATION: 'required',
    });
    const page = await openPage();
    await page.goto(origin);
    const { address, sign } = await make();
    await page.exposeFunction('signText', sign);
    const readme = await readFile(new URL('../../../packages/client/README.md', import.meta.url), 'utf8');
    const example = [...readme.matchAll(/```js\n(.*?)```/gs)]
      .map(([, code = '']) => code)
      .find((code) => code.includes(holds));
    const placed = await page.evaluate(`(async () => {
      const { createClient } = await import('/client.js');
      const [baseUrl, walletAddress] = ${JSON.stringify([url, address])};
      ${STAND_INS}
      ${example}
      const { items } = await client.markets({ limit: 1 });
      const token_id = items[0].outcomes[0].token_id;
      return client.placeOrder({ token_id, side: 'buy', price: '0.01', size: 5, post_only: true });
    })()`);
    expect(placed).toMatchObject({ status: 'live', price: '0.01' });
    expect(venue.orders()).toHaveLength(1);
    await page.close();
  });

  it('watches a book, of which it is told only when it has changed', async () => {
    const { url, visit, listed, close } = await openAll();
    const run = await visit(listed);
    const watching = `(async () => {
      const [token, end, books, statuses] = [await tokenOf(), new AbortController(), [], []];
      const counted = async (...request) => {
        const response = await fetch(...request);
        statuses.push(response.status);
        if (statuses.length === 3) await client.placeOrder(await order());
        return response;
      };
      const onBook = ({ bids }) => books.push(bids.at(-1).price) === 2 && end.abort();
      const options = { signal: end.signal, intervalMs: 200 };
      await createClient({ baseUrl: ${JSON.stringify(url)}, fetch: counted }).watchBook(token, onBook, options);
      return { statuses: statuses.slice(0, 3), lowest: books[1], changes: books.length };
    })()`;
    expect(await run(watching)).toStrictEqual({
      statuses: [200, 304, 304],
      lowest: '0.01',
      changes: 2,
    });
    await close();
  });

  it('stops waiting when it is told to', async () => {
    const { visit, listed, venue, close } = await openAll();
    const run = await visit(listed);
    venue.arm({ fault: 'delay', path: '/book', ms: 3_000 });
    const aborted = await run('client.book(await tokenOf(), { signal: AbortSignal.timeout(200) })');
    expect(aborted).toMatchObject({ code: 'aborted' });
    await close();
  });
});

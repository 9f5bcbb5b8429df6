import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type ClientWallet, evmWallet, fromBase58, solanaWallet } from '../../../tools/support/client-wallets.ts';
import { answered, bookShown, fill, openTicket, routeHealth } from '../../support/page/console-page.ts';
import { sharedConsole } from '../../support/page/console-world.ts';
import { describeInChromium } from '../../support/page/page.ts';

const { orders, openFresh, consoleUrl } = sharedConsole({ SERVICE_CLIENT_VERIFICATION: 'required' });

/** A wallet of an EVM chain, as an extension of the browser announces it. `act` is what it does when it is to sign. */
const injectedEvm = (address: string, act: string) => `
  globalThis.account = ${JSON.stringify(address)};
  const provider = {
    request: async ({ method, params = [] }) => {
      if (method !== 'personal_sign') return globalThis.account === null ? [] : [globalThis.account];
      const bytes = params[0].slice(2).match(/../g).map((hex) => Number.parseInt(hex, 16));
      const text = new TextDecoder().decode(new Uint8Array(bytes));
      ${act}
      return signText(text);
    },
  };
  const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', {
    detail: Object.freeze({ info: { uuid: '1', name: 'Fox', icon: 'data:,', rdns: 'io.fox' }, provider }),
  }));
  addEventListener('eip6963:requestProvider', announce);
  announce();`;

/** A wallet of Solana, as the Wallet Standard has it. */
const injectedSolana = (address: string, act: string) => `
  const account = { address: ${JSON.stringify(address)}, chains: ['solana:mainnet'], features: ['solana:signMessage'] };
  const wallet = {
    version: '1.0.0', name: 'Ghost', icon: 'data:,', chains: ['solana:mainnet'], accounts: [],
    features: {
      'standard:connect': { connect: async () => ({ accounts: wallet.accounts = [account] }) },
      'solana:signMessage': { signMessage: async ({ message }) => {
        const text = new TextDecoder().decode(message);
        let signedMessage = message;
        ${act}
        return [{ signedMessage, signature: new Uint8Array(await signText(text)) }];
      } },
    },
  };
  const register = (api) => api.register(wallet);
  dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: register }));
  addEventListener('wallet-standard:app-ready', ({ detail }) => register(detail));`;

describeInChromium('a wallet in the console', () => {
  async function open({ sign }: ClientWallet, injected: string, width?: 390) {
    const page = await openFresh(width);
    const texts: string[] = [];
    await page.exposeFunction('signText', async (text: string) => {
      texts.push(text);
      const signature = await sign(text);
      return signature.startsWith('0x') ? signature : [...fromBase58(signature, 64)];
    });
    await page.addInitScript(injected);
    await page.goto(consoleUrl());
    await bookShown(page);
    return { page, texts };
  }

  async function order(page: Page, name = 'Fox'): Promise<void> {
    await openTicket(page);
    await page.getByRole('button', { name: `Connect ${name}` }).click();
    await page.getByText('Signs as').waitFor();
    await fill(page, { price: '0.01' });
    await page.locator('#send').click();
    await page.locator('#question-about pre').waitFor();
  }

  const sign = (page: Page, name = 'Fox') => page.getByRole('button', { name: `Sign in ${name}` }).click();

  it.each([
    ['EVM', 'Fox', async () => evmWallet('a'), injectedEvm, undefined],
    ['Solana, on a phone,', 'Ghost', async () => solanaWallet(7), injectedSolana, 390],
  ] as const)(
    'of kind %s signs an order, which the page has shown before, and no other wallet repeats it',
    async (_kind, name, make, inject, width) => {
      const wallet = await make();
      const { page, texts } = await open(wallet, inject(wallet.address, ''), width);
      expect(await page.locator('#send').textContent()).toBe('Connect a wallet to order');
      await order(page, name);
      const text = await page.locator('#question-about pre').textContent();
      expect([text, texts]).toStrictEqual([
        expect.stringMatching(
          /^Place one order on 127\.0\.0\.1:\d+\n\nClient: .*\nSide: buy\nSize: 5 shares\nPrice: 0\.01\n/,
        ),
        [],
      ]);
      const facts = [
        'Order',
        'buy 5.00 Yes at 0.01',
        'Costs at most',
        '0.06 pUSD, with fee',
        'Ends',
        'when it is cancelled',
      ];
      expect(await page.locator('#question-about dl').textContent()).toMatch(
        `Copper Lake ferry run on Founders Day?${facts.join('')}`,
      );
      await sign(page, name);
      await answered(page, 'placed');
      expect(texts).toStrictEqual([text]);
      expect(await orders()).toMatchObject([{ price: '0.01' }]);
      // What is not settled is repeated by its own wallet alone.
      const kept = `Object.keys(localStorage).find((key) => key.startsWith('order-of-this-page'))`;
      await page.evaluate(
        `localStorage[${kept}] = localStorage[${kept}].replace('"placed"', '"open"').replace(/"client":"[^"]*"/, '"client":"0xabc"')`,
      );
      await page.reload();
      await openTicket(page);
      await page.getByRole('button', { name: `Connect ${name}` }).click();
      await page.getByText('Signs as').waitFor();
      await page.locator('#answer').getByRole('button', { name: 'Repeat safely' }).click();
      await page
        .getByText('The order is of 0xabc: connect it to repeat the order.')
        .first()
        .waitFor({ state: 'attached' });
      expect(await page.locator('#answer').getAttribute('class')).toBe('unsettled');
    },
  );

  const OTHER = `0x${'b'.repeat(40)}`;

  it.each([
    ['refuses', "throw Object.assign(new Error('no'), { code: 4001 });", 'You refused it in Fox.'],
    ['fails', "throw new Error('out of order');", 'Fox did not do it: out of order.'],
    ['gives no signature', "return 'yes';", 'Fox gave no signature of this text.'],
    ['changes its account meanwhile', `globalThis.account = '${OTHER}';`, `Fox has changed its account from`],
    ['is locked meanwhile', 'globalThis.account = null;', `Fox has changed its account from`],
  ])('that %s places nothing, and the page says why', async (_what, act, sentence) => {
    const wallet = evmWallet('a');
    const { page } = await open(wallet, injectedEvm(wallet.address, act));
    await order(page);
    await sign(page);
    expect(await answered(page, 'refused')).toContain(sentence);
    expect(await orders()).toStrictEqual([]);
  });

  it('that has another account by the time of the order is not asked to sign', async () => {
    const wallet = evmWallet('a');
    const { page, texts } = await open(wallet, injectedEvm(wallet.address, ''));
    await order(page);
    await page.evaluate(`globalThis.account = '${OTHER}'`);
    await sign(page);
    expect(await answered(page, 'refused')).toContain(`to ${OTHER}: connect it again.`);
    expect(texts).toStrictEqual([]);
  });

  it('that signs for another account than it names is refused by the service', async () => {
    const { page, texts } = await open(evmWallet('b'), injectedEvm(evmWallet('a').address, ''));
    await order(page);
    await sign(page);
    await page.getByText("The service did not take the signature: another account's").waitFor();
    await sign(page);
    expect(await answered(page, 'refused')).toContain('Not placed');
    expect(texts).toHaveLength(2);
    expect(await orders()).toStrictEqual([]);
  });

  it('that hangs is left: by the user, and by the page after two minutes', async () => {
    const wallet = evmWallet('a');
    const { page } = await open(
      wallet,
      injectedEvm(wallet.address, 'globalThis.asks = (globalThis.asks ?? 0) + 1; await new Promise(() => undefined);'),
    );
    await order(page);
    await page.getByRole('button', { name: 'No', exact: true }).last().click();
    expect(await answered(page, 'refused')).toContain('You did not sign it.');
    await page.locator('#send').click();
    await sign(page);
    // Nothing is sent until the wallet has signed, and nothing says so.
    expect(await page.locator('#answer.pending p').textContent()).toBe(
      'Waiting for Fox to sign it. Nothing was sent yet.',
    );
    expect(await page.locator('#own-orders li').first().textContent()).toMatch(/not sent(?!.*Repeat)/);
    expect(await page.locator('#send').textContent()).toBe('Waiting for Fox…');
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    expect(await answered(page, 'refused')).toContain('You stopped waiting before it was sent.');
    await page.clock.install();
    await page.locator('#send').click();
    await sign(page);
    await page.waitForFunction('globalThis.asks === 2');
    await page.clock.fastForward(121_000);
    await page.getByText('Fox did not do it: no answer in 120 s.').waitFor();
    expect(await orders()).toStrictEqual([]);
  });

  it('of Solana whose signature is for another text places no order', async () => {
    const wallet = await solanaWallet(7);
    const { page } = await open(wallet, injectedSolana(wallet.address, 'signedMessage = Uint8Array.of(1);'));
    await order(page, 'Ghost');
    await sign(page, 'Ghost');
    expect(await answered(page, 'refused')).toContain('Ghost gave no signature of this text.');
    expect(await orders()).toStrictEqual([]);
  });

  it('is asked once more where the clock of this machine is wrong', async () => {
    const wallet = evmWallet('a');
    const { page, texts } = await open(wallet, injectedEvm(wallet.address, ''));
    await page.clock.setFixedTime(Date.now() - 3_600_000);
    await order(page);
    await sign(page);
    await page.getByRole('button', { name: 'Sign in Fox' }).click();
    await answered(page, 'placed');
    expect(texts).toHaveLength(2);
  });

  it.each([
    ['has no account', 'null', 'Fox gave no account that signs messages.'],
    ['names none', "'0x12'", 'Fox gave no account that signs messages.'],
  ])('that %s is not connected', async (_what, account, sentence) => {
    const { page } = await open(evmWallet('a'), `${injectedEvm('', '')} globalThis.account = ${account};`);
    await page.getByRole('button', { name: 'Connect Fox' }).click();
    await page.getByText(sentence).waitFor();
    expect(await page.locator('#send').textContent()).toBe('Connect a wallet to order');
  });

  it('is not needed where clients are not verified, and its address is sent', async () => {
    const wallet = evmWallet('a');
    const page = await openFresh();
    await page.addInitScript(injectedEvm(wallet.address, ''));
    await routeHealth(page, { client_verification: 'off' });
    await page.goto(consoleUrl());
    await bookShown(page);
    await page.getByRole('button', { name: 'Connect Fox' }).click();
    await fill(page, { price: '0.01' });
    const sent = page.waitForRequest('**/v1/orders');
    await page.locator('#send').click();
    expect((await (await sent).allHeaders())['x-client-address']).toBe(wallet.address.toLowerCase());
  });

  it('that is connected after a lost answer does not become the client of the repeat', async () => {
    const page = await openFresh();
    await page.addInitScript(injectedEvm(evmWallet('a').address, ''));
    await routeHealth(page, { client_verification: 'off' });
    await page.goto(consoleUrl());
    await bookShown(page);
    await page.route('**/v1/orders', (route) => route.abort());
    await fill(page, { price: '0.01' });
    await page.locator('#send').click();
    const repeat = page.locator('#answer').getByRole('button', { name: 'Repeat safely' });
    await repeat.waitFor();
    await page.getByRole('button', { name: 'Connect Fox' }).click();
    await page
      .getByText('Signs as')
      .or(page.getByText(/^Client/))
      .first()
      .waitFor();
    const sent = page.waitForRequest('**/v1/orders');
    await repeat.click();
    expect(await (await sent).allHeaders()).not.toHaveProperty('x-client-address');
  });

  it('is missing: the page says so', async () => {
    const page = await openFresh();
    await page.goto(consoleUrl());
    await page.getByText('No wallet was found in this browser.').waitFor();
  });
});

import { createClient, type HealthStatus, type OrderBookError, type PlacedOrder } from '../client/client.ts';
import { makeFacts, part, repeatWhileVisible, say } from './dom.ts';
import { formatMoney, formatShares } from './figures.ts';
import { type KeptOrder, openJournal } from './journal.ts';
import { namesOf } from './markets.ts';
import { createOrders } from './orders.ts';
import type { Page } from './page.ts';
import { NO_VENUE, readHoldings } from './paper.ts';
import { createPlacement } from './placement.ts';
import { showPositions } from './positions.ts';
import { checkService } from './service.ts';
import { createWalletRow, signerOf } from './wallet-row.ts';
import { notSent, sentenceOf } from './words.ts';

/** Pause between two looks at the paper venue. */
const VENUE_MS = 2_000;

/** Begins to trade at the service of a page. */
export function startTrading(page: Page, health: HealthStatus, hasVenue: boolean): void {
  const { client, serviceUrl, shown, form } = page;
  const { wallet_address: wallet, mode } = health;
  const isSigned = health.client_verification === 'required';
  let reason: string | undefined;

  function block(): void {
    const unsigned = isSigned && !wallets.account() ? 'Connect a wallet to order' : undefined;
    form.block(mode === 'read-only' ? 'This service takes no orders' : (reason ?? unsigned));
  }

  function send(kept: KeptOrder, mayBeLive: boolean, onSend: () => void, signal: AbortSignal): Promise<PlacedOrder> {
    const account = wallets.account();
    // A question closes the sheet of the ticket, which shows the answer.
    const signer = isSigned && account ? signerOf(account, kept, page.sheets.openTicket) : undefined;
    const request = (url: string, init: RequestInit) => {
      onSend();
      return page.send(url, init);
    };
    const { placeOrder } = createClient({ baseUrl: serviceUrl, fetch: request, wallet: signer });
    return placeOrder(kept.order, { mayBeLive, signal, idempotencyKey: kept.key, clientAddress: kept.client });
  }

  async function prepare({ client: address }: KeptOrder): Promise<void> {
    await checkService(client, health);
    if (!isSigned || address === wallets.account()?.address) return;
    throw notSent(`The order is of ${address}: connect it to repeat the order.`, 'client_signature_required');
  }

  async function showHoldings(): Promise<void> {
    const outcome = shown.chosen?.outcome;
    if (!outcome || wallet === null) return;
    const holdings = await readHoldings(wallet, outcome.token_id);
    // Another outcome may have been chosen meanwhile.
    if (shown.chosen?.outcome !== outcome) return;
    form.know({ holdings });
    const shares = `${formatShares(holdings.shares)} ${outcome.name ?? ''}`;
    const facts = { 'Free balance': formatMoney(holdings.freeCollateral), 'Shares held': shares };
    part('account').replaceChildren(makeFacts(facts));
  }

  async function refresh(): Promise<number> {
    if (!hasVenue) return VENUE_MS;
    await orders.refresh();
    await showHoldings().catch(() => page.staleness.fail('orders', NO_VENUE));
    return VENUE_MS;
  }

  const journal = openJournal(`${serviceUrl} ${wallet}`, () => orders.show());
  const orders = createOrders(page, {
    ...{ journal, hasVenue },
    onOrders: (own) => {
      page.view.setOwn(own);
      placement.follow(own);
      showPositions(own, page);
    },
    onRepeat: (kept) => {
      page.sheets.openTicket();
      placement.repeat(kept);
    },
  });
  const wallets = createWalletRow(isSigned, block);
  const placement = createPlacement({
    ...{ journal, prepare, send, clientAddress: () => wallets.account()?.address },
    signer: () => (isSigned ? wallets.account()?.wallet : undefined),
    onBlock: (why) => {
      reason = why;
      block();
    },
    onAnswer: () => void refresh(),
  });
  page.trade({
    isPaper: health.venue === 'paper',
    place: (order, chosen, bound) => void placement.place(order, { ...namesOf(chosen), bound }),
    cancel: (own) => void orders.cancel(own),
    onChosen: () => {
      if (hasVenue) part('account').replaceChildren();
      void refresh();
    },
    onBack: () =>
      void checkService(client, health).catch((error: OrderBookError) => say('service-error', sentenceOf(error))),
  });
  orders.show();
  void repeatWhileVisible(refresh);
}

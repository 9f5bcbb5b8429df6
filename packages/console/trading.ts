import type { Book, Client, HealthStatus, PlacedOrder } from '../client/client.ts';
import type { BookView } from './book-view.ts';
import { makeFacts, part, repeatWhileVisible, say } from './dom.ts';
import type { FaultSwitch } from './faults.ts';
import { formatMoney, formatShares } from './figures.ts';
import { type KeptOrder, openJournal } from './journal.ts';
import { bestOf, type Chosen, type MarketList } from './markets.ts';
import type { OrderForm } from './order-form.ts';
import { createOrders } from './orders.ts';
import { readHoldings } from './paper.ts';
import { createPlacement, curlOfOrder } from './placement.ts';
import { showPositions } from './positions.ts';
import { checkService } from './service.ts';
import type { Sheets } from './sheets.ts';
import type { Staleness } from './staleness.ts';

/** Pause between two looks at the paper venue. */
const VENUE_MS = 2_000;

interface Parts {
  readonly client: Client;
  readonly serviceUrl: string;
  readonly health: HealthStatus;
  /** The faults of the paper venue, where the page can ask it. */
  readonly faults: FaultSwitch | undefined;
  readonly staleness: Staleness;
  readonly form: OrderForm;
  readonly view: BookView;
  readonly list: MarketList;
  readonly sheets: Sheets;
  /** Returns what the page shows, with its newest book. */
  readonly shown: () => { readonly chosen?: Chosen | undefined; readonly book?: Book | undefined };
  readonly onChoose: (chosen: Chosen) => void;
}

/** What the page can do beyond reading, once it knows its service. */
export type Trading = ReturnType<typeof startTrading>;

/** Begins to trade at a service. */
export function startTrading(parts: Parts) {
  const { client, serviceUrl, health, faults, staleness, form, view, list, sheets, shown, onChoose } = parts;
  const isSigned = health.client_verification === 'required';
  let reason: string | undefined;

  function block(): void {
    const unsigned = isSigned ? 'Orders here need a wallet' : undefined;
    form.block(health.mode === 'read-only' ? 'This service takes no orders' : (unsigned ?? reason));
  }

  function send({ order, key }: KeptOrder, mayBeLive: boolean): Promise<PlacedOrder> {
    return client.placeOrder(order, { mayBeLive, idempotencyKey: key });
  }

  async function prepare(): Promise<void> {
    await faults?.ready();
    await checkService(client, health);
  }

  function priceOf(tokenId: string, side: 'bid' | 'ask'): string | undefined {
    const { chosen, book } = shown();
    if (chosen?.outcome.token_id === tokenId && book) return (side === 'bid' ? book.bids : book.asks)[0]?.price;
    const found = list.outcomeOf(tokenId);
    return found && bestOf(found, side);
  }

  const journal = openJournal(`${serviceUrl} ${health.wallet_address}`, () => orders.show());
  const orders = createOrders({
    journal,
    staleness,
    hasVenue: faults !== undefined,
    onOrders: (own) => {
      view.setOwn(own);
      placement.follow(own);
      showPositions(own, { outcomeOf: list.outcomeOf, priceOf, onChoose });
    },
    onCancelled: view.refresh,
    onRepeat: (kept) => {
      sheets.openTicket();
      placement.repeat(kept);
    },
    curlOf: (kept) => curlOfOrder(serviceUrl, kept),
    outcomeOf: list.outcomeOf,
    onChoose,
  });
  const placement = createPlacement({
    serviceUrl,
    journal,
    prepare,
    send,
    onBlock: (why) => {
      reason = why;
      block();
    },
    onAnswer: async (orderId) => {
      faults?.orderAnswered();
      return faults && orders.refresh(orderId);
    },
  });

  async function showHoldings(): Promise<void> {
    const outcome = shown().chosen?.outcome;
    if (!outcome || health.wallet_address === null) return;
    const holdings = await readHoldings(health.wallet_address, outcome.token_id);
    // Another outcome may have been chosen meanwhile.
    if (shown().chosen?.outcome !== outcome) return;
    form.know({ holdings });
    const position = `${formatShares(holdings.shares)} ${outcome.name ?? 'shares'}`;
    part('account').replaceChildren(
      makeFacts({ 'Free balance': formatMoney(holdings.freeCollateral), Position: position }),
    );
  }

  /** Asks the paper venue for the orders and the holdings, where the page can. */
  async function refresh(): Promise<number> {
    if (!faults) return VENUE_MS;
    await orders.refresh();
    await showHoldings().catch(({ message }: Error) => staleness.fail('orders', message));
    return VENUE_MS;
  }

  block();
  orders.show();
  void repeatWhileVisible(refresh);
  return {
    place: placement.place,
    cancel: orders.cancel,
    refresh,
    /** Says so if another service answers by now. */
    verify: () => checkService(client, health).catch(({ message }: Error) => say('service-error', message)),
  };
}

import {
  type Book,
  type Client,
  createClient,
  type HealthStatus,
  OrderBookError,
  type PlacedOrder,
} from '../client/client.ts';
import type { BookView } from './book-view.ts';
import { ask, makeFacts, part, repeatWhileVisible, say } from './dom.ts';
import type { FaultSwitch } from './faults.ts';
import { formatMoney, formatShares } from './figures.ts';
import { type KeptOrder, openJournal } from './journal.ts';
import { bestOf, type Chosen, type MarketList } from './markets.ts';
import type { OrderForm } from './order-form.ts';
import { createOrders } from './orders.ts';
import { readHoldings } from './paper.ts';
import { createPlacement, curlOfOrder, type SendOptions } from './placement.ts';
import { showPositions } from './positions.ts';
import { checkService } from './service.ts';
import type { Sheets } from './sheets.ts';
import type { Staleness } from './staleness.ts';
import { createWalletRow } from './wallet-row.ts';
import { type Account, WalletError } from './wallets.ts';

/** Pause between two looks at the paper venue. */
const VENUE_MS = 2_000;

interface Parts {
  readonly client: Client;
  readonly serviceUrl: string;
  readonly health: HealthStatus;
  /** Sends requests as the client does. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
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

/** Returns what signs with a wallet, and shows each text to the user before the wallet does. */
function signerOf({ wallet, address, sign }: Account) {
  let question = `This is the order. ${wallet} shows it again and signs it.`;
  const signMessage = async (text: string) => {
    if (!(await ask(question, `Sign in ${wallet}`, text))) throw new WalletError('You did not sign it.');
    // The client asks again by the time of the service.
    question = `The service did not take the signature: another account's, or a wrong clock. Sign it once more?`;
    return sign(text);
  };
  return { address, signMessage };
}

/** Begins to trade at a service. */
export function startTrading(parts: Parts) {
  const { client, serviceUrl, health, faults, staleness, form, view, list, sheets, shown, onChoose } = parts;
  const isSigned = health.client_verification === 'required';
  let reason: string | undefined;

  function block(): void {
    const unsigned = isSigned && !wallets.account() ? 'Connect a wallet to order' : undefined;
    form.block(health.mode === 'read-only' ? 'This service takes no orders' : (reason ?? unsigned));
  }

  function send({ order, key }: KeptOrder, options: SendOptions): Promise<PlacedOrder> {
    const account = wallets.account();
    const signer = isSigned && account ? signerOf(account) : undefined;
    const { placeOrder } = createClient({ baseUrl: serviceUrl, fetch: parts.fetch, wallet: signer });
    return placeOrder(order, { ...options, idempotencyKey: key, clientAddress: account?.address });
  }

  async function prepare({ client: address }: KeptOrder): Promise<void> {
    await faults?.ready();
    await checkService(client, health);
    if (!isSigned || address === wallets.account()?.address) return;
    throw new OrderBookError(`The order is of ${address}: connect it to repeat the order.`, {
      code: 'client_signature_required',
    });
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
  const wallets = createWalletRow(isSigned, () => block());
  const placement = createPlacement({
    serviceUrl,
    journal,
    prepare,
    send,
    clientAddress: () => wallets.account()?.address,
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

import { type Client, createClient, type HealthStatus, OrderBookError } from '../client/client.ts';
import { type BookView, createBookView } from './book-view.ts';
import { find, makeFacts, say } from './dom.ts';
import type { Holdings } from './draft.ts';
import { createFaultSwitch } from './faults.ts';
import { formatMoney, formatShares } from './figures.ts';
import { openJournal } from './journal.ts';
import { textOf } from './json.ts';
import { type Chosen, createMarketList, type MarketList, namesOf } from './markets.ts';
import { createOrderForm, type OrderForm } from './order-form.ts';
import { createOrders, type Orders } from './orders.ts';
import { readHoldings } from './paper.ts';
import { createPlacement, curlOfOrder } from './placement.ts';
import { createSheets } from './sheets.ts';

interface Facts {
  readonly serviceUrl: string | undefined;
  /** Address of the paper wallet. No other service has it, since every start has its own. */
  readonly paperWallet: string | undefined;
}

/** Reads `console.json` beside the page; a page served without it takes `?service=`. */
async function readFacts(): Promise<Facts> {
  const named = new URLSearchParams(location.search).get('service') ?? undefined;
  const response = await fetch('console.json').catch(() => undefined);
  const facts: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  return { serviceUrl: textOf(facts, 'service_url') ?? named, paperWallet: textOf(facts, 'paper_wallet') };
}

/** Reads the health; `undefined` if this page may not, or nothing answers. */
async function readHealth(client: Client): Promise<HealthStatus | undefined> {
  try {
    return await client.health();
  } catch (error) {
    if (!(error instanceof OrderBookError)) throw error;
    say('service-error', `No orders: ${error.detail} Once it answers, load the page again.`);
    return undefined;
  }
}

/** Returns why this page can place no order at the service, in the words of the button; `undefined` if it can. */
function obstacleOf(health: HealthStatus | undefined): string | undefined {
  if (!health) return 'This service does not answer this page';
  if (health.mode === 'read-only') return 'This service takes no orders';
  return health.client_verification === 'required' ? 'Orders here need a wallet' : undefined;
}

function showService(serviceUrl: string, health: HealthStatus | undefined, isPaper: boolean): void {
  find('console', HTMLElement).classList.toggle('paper', isPaper);
  const mode = !health ? 'NO ANSWER' : isPaper ? 'PAPER' : health.mode === 'read-only' ? 'READ ONLY' : 'REAL MONEY';
  find('badge', HTMLElement).className = `badge ${mode === 'REAL MONEY' || mode === 'NO ANSWER' ? 'real' : 'safe'}`;
  say('badge', mode);
  if (health?.client_verification === 'required') {
    say('service-error', 'Orders of this service are signed by a wallet; this page has none.');
  }
  const wallet = health?.wallet_address ?? undefined;
  const facts = {
    Service: new URL(serviceUrl).host,
    ...(wallet && { Wallet: `${wallet.slice(0, 6)}…${wallet.slice(-4)}` }),
  };
  // On paper, the balance and the position come in their place.
  if (!isPaper) find('account', HTMLElement).replaceChildren(makeFacts(facts));
}

function showHoldings({ freeCollateral, shares }: Holdings, outcome: string): void {
  const facts = { 'Free balance': formatMoney(freeCollateral), Position: `${formatShares(shares)} ${outcome}` };
  find('account', HTMLElement).replaceChildren(makeFacts(facts));
}

/** Shows what the wallet holds at the paper venue; what cannot be read stays as it was. */
async function showAtVenue({ outcome }: Chosen, wallet: string, form: OrderForm): Promise<void> {
  const holdings = await readHoldings(wallet, outcome.token_id).catch(() => undefined);
  // Another outcome may have been chosen meanwhile.
  if (!holdings || location.hash !== `#${outcome.token_id}`) return;
  form.know({ holdings });
  showHoldings(holdings, outcome.name ?? 'shares');
}

/** Throws `OrderBookError` if another service now answers at the address: it may trade with real money. */
async function checkService(client: Client, opened: HealthStatus | undefined): Promise<void> {
  const { wallet_address } = await client.health();
  if (wallet_address === opened?.wallet_address) return;
  const detail = 'Another service has come to this address since the page was loaded. Load the page again.';
  throw new OrderBookError(detail, { code: 'order_placement_disabled' });
}

async function open(serviceUrl: string, paperWallet: string | undefined): Promise<void> {
  const send = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    if (response.status === 304) view.confirm();
    if (init.method !== 'POST' || !faults?.losesAnswers()) return response;
    throw new TypeError('This page threw the answer away, as a broken connection would.');
  };
  const client = createClient({ baseUrl: serviceUrl, fetch: send });
  const health = await readHealth(client);
  const isPaper = health !== undefined && health.wallet_address === paperWallet;
  const wallet = isPaper ? paperWallet : undefined;
  showService(serviceUrl, health, isPaper);
  const obstacle = obstacleOf(health);
  const sheets = createSheets();
  let shown: Chosen | undefined;
  const choose = (chosen: Chosen) => {
    shown = chosen;
    history.replaceState(null, '', `#${chosen.outcome.token_id}`);
    list.markChosen(chosen);
    form.choose(chosen);
    view.choose(chosen);
    // Until its book is there: the prices of another market must not reach the ticket.
    sheets.showPrices({ bids: [], asks: [], tick_size: '0.01' }, form.usePrice);
    if (isPaper) find('account', HTMLElement).replaceChildren();
    sheets.leaveMarkets();
  };
  const form = createOrderForm({
    isPaper,
    onOrder: (order) => {
      if (shown) void placement.place(order, namesOf(shown));
    },
  });
  const journal = openJournal(`${serviceUrl} ${health?.wallet_address}`, () => orders.show());
  const orders: Orders = createOrders({
    journal,
    isPaper,
    onOrders: (own) => view.setOwn(own),
    onCancelled: () => view.refresh(),
    onRepeat: (kept) => {
      sheets.openTicket();
      placement.repeat(kept);
    },
    curlOf: (kept) => curlOfOrder(serviceUrl, kept),
    outcomeOf: (tokenId) => list.outcomeOf(tokenId),
    onChoose: choose,
  });
  const view: BookView = createBookView({
    client,
    usePrice: form.usePrice,
    cancel: (own) => void orders.cancel(own),
    onChoose: choose,
    onStale: (staleSince) => form.know({ staleSince }),
    onBook: (book) => {
      form.update(book);
      sheets.showPrices(book, form.usePrice);
      if (wallet === undefined || !shown) return;
      void showAtVenue(shown, wallet, form);
      void orders.refresh();
    },
  });
  const faults = isPaper ? createFaultSwitch(view.refresh) : undefined;
  const placement = createPlacement({
    client,
    serviceUrl,
    journal,
    prepare: async () => {
      await faults?.ready();
      await checkService(client, health);
    },
    onBlock: (reason) => form.block(obstacle ?? reason),
    onAnswer: async (orderId) => {
      faults?.orderAnswered();
      return isPaper ? orders.refresh(orderId) : undefined;
    },
  });
  if (obstacle !== undefined) form.block(obstacle);
  const list: MarketList = createMarketList(client, choose);
  orders.show();
}

async function start(): Promise<void> {
  const { serviceUrl, paperWallet } = await readFacts();
  const isKnown = serviceUrl !== undefined && URL.canParse(serviceUrl);
  const page = find('console', HTMLElement);
  [find('service-form', HTMLFormElement).hidden, page.hidden] = [isKnown, !isKnown];
  // Before the service has answered, so that nothing moves when it does.
  page.classList.toggle('paper', paperWallet !== undefined);
  if (isKnown) await open(serviceUrl, paperWallet);
}

void start();

import { type Book, type Client, createClient, type HealthStatus, OrderBookError } from '../client/client.ts';
import { showTrades } from './book.ts';
import { type BookView, createBookView } from './book-view.ts';
import { find, makeFacts, say, shorten } from './dom.ts';
import { createFaultSwitch } from './faults.ts';
import { textOf } from './json.ts';
import { type Chosen, createMarketList, type MarketList } from './markets.ts';
import { createOrderForm, type OrderForm } from './order-form.ts';
import { createOwnOrders, type OwnOrders } from './own-orders.ts';
import { listTrades, readHoldings } from './paper.ts';
import { createPlacement } from './placement.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';
import { createToast } from './toast.ts';

/** Facts from the server of this page, if it has any. */
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
    say('service-error', `No orders: ${error.detail}`);
    return undefined;
  }
}

function showService(serviceUrl: string, health: HealthStatus | undefined, isPaper: boolean): void {
  find('console', HTMLElement).classList.toggle('paper', isPaper);
  find('badge', HTMLElement).className = isPaper ? 'badge paper' : 'badge real';
  const real = health ? 'NOT PAPER: real money' : 'READ ONLY: no orders';
  say('badge', isPaper ? 'PAPER: no real money' : real);
  const facts = {
    Service: serviceUrl,
    ...(health && { Mode: health.mode, Wallet: shorten(health.wallet_address ?? 'none'), Version: health.version }),
  };
  find('service-facts', HTMLElement).replaceChildren(makeFacts(facts));
}

/** Shows what the paper venue knows of an outcome; what cannot be read stays as it was. */
async function showAtVenue({ market, outcome }: Chosen, { tick_size }: Book, wallet: string, form: OrderForm) {
  const other = market.outcomes.find(({ token_id }) => token_id !== outcome.token_id);
  const [trades, holdings] = await Promise.all([
    listTrades(outcome.token_id, other?.token_id).catch(() => undefined),
    readHoldings(wallet, outcome.token_id).catch(() => undefined),
  ]);
  if (trades) showTrades(find('trade-rows', HTMLElement), trades, tick_size);
  if (holdings) form.hold(holdings);
}

/** Sends as the log does, and confirms the shown book where it has not changed. */
function sendVia(log: RequestLog, confirm: () => void): RequestLog['send'] {
  return async (url, init) => {
    const response = await log.send(url, init);
    if (response.status === 304) confirm();
    return response;
  };
}

/** Throws `OrderBookError` if another service now answers at the address: it may trade with real money. */
async function checkService(client: Client, opened: HealthStatus | undefined): Promise<void> {
  const { wallet_address } = await client.health();
  if (wallet_address === opened?.wallet_address) return;
  const detail = 'Another service has come to this address since the page was loaded. Load the page again.';
  throw new OrderBookError(detail, { code: 'order_placement_disabled' });
}

async function open(serviceUrl: string, paperWallet: string | undefined): Promise<void> {
  const log = createRequestLog(find('log', HTMLElement));
  const toast = createToast();
  const client = createClient({ baseUrl: serviceUrl, fetch: sendVia(log, () => view.confirm()) });
  const health = await readHealth(client);
  const wallet = health?.wallet_address === paperWallet ? paperWallet : undefined;
  showService(serviceUrl, health, wallet !== undefined);
  let shown: Chosen | undefined;

  const choose = (chosen: Chosen) => {
    shown = chosen;
    list.markChosen(chosen);
    form.choose(chosen);
    view.choose(chosen);
  };
  const form = createOrderForm({
    isPaper: wallet !== undefined,
    onOrder: (order) => void place(order),
    onChoose: choose,
  });
  const orders: OwnOrders = createOwnOrders({
    toast,
    onOrders: (own) => view.setOwn(own),
    onCancelled: () => view.refresh(),
    outcomeOf: (tokenId) => list.outcomeOf(tokenId),
    onChoose: choose,
  });
  const view: BookView = createBookView({
    client,
    usePrice: form.usePrice,
    cancel: (own) => void orders.cancel(own),
    onBook: (book) => {
      form.update(book);
      if (wallet === undefined || !shown) return;
      void showAtVenue(shown, book, wallet, form);
      void orders.refresh();
      void faults?.refresh();
    },
  });
  const faults = wallet === undefined ? undefined : createFaultSwitch(view.refresh);
  if (faults) log.loseOrderAnswers(faults.losesAnswers);
  const place = createPlacement({
    client,
    log,
    toast,
    account: `${serviceUrl} ${health?.wallet_address}`,
    prepare: async () => {
      await faults?.ready();
      await checkService(client, health);
    },
    onBlock: form.block,
    onAnswer: async (orderId) => {
      faults?.orderAnswered();
      return wallet === undefined ? undefined : orders.refresh(orderId);
    },
  });
  if (health?.mode !== 'order-placing') form.block('This service takes no orders from this page');
  const list: MarketList = createMarketList(client, choose);
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

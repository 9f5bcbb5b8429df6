import {
  type Book,
  type Client,
  createClient,
  type HealthStatus,
  type Market,
  OrderBookError,
} from '../client/client.ts';
import { describeDepth, markOwn, type RestingOrder, showLadder, showTrades } from './book.ts';
import { drawDepth } from './depth-chart.ts';
import { counted, find, make, makeFacts, shorten, timeOfDay } from './dom.ts';
import { textOf } from './json.ts';
import { type Chosen, markChosen, showMarkets } from './markets.ts';
import { createOrderForm, type OrderForm } from './order-form.ts';
import {
  cancelAtVenue,
  createFaultSwitch,
  type FaultSwitch,
  listTrades,
  listVenueOrders,
  showVenueOrders,
} from './paper.ts';
import { createPlacement } from './placement.ts';
import { createRequestLog, type RequestLog } from './request-log.ts';

/** Markets that are listed: more make a slow page and a slow answer. */
const MARKETS = 100;

/** Pause before markets that could not be listed are asked for again. */
const RETRY_MS = 5_000;

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

/** Writes a text; the same text again is not announced again by a screen reader. */
function say(id: string, text: string): void {
  const element = find(id, HTMLElement);
  if (element.textContent !== text) element.textContent = text;
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
  const badge = find('badge', HTMLElement);
  badge.className = isPaper ? 'badge paper' : 'badge real';
  const real = health ? 'NOT PAPER: real money' : 'READ ONLY: no orders';
  badge.textContent = isPaper ? 'PAPER: no real money' : real;
  const facts = {
    Service: serviceUrl,
    ...(health && { Mode: health.mode, Wallet: shorten(health.wallet_address ?? 'none'), Version: health.version }),
  };
  find('service-facts', HTMLElement).replaceChildren(makeFacts(facts));
}

interface Parts {
  readonly client: Client;
  readonly form: OrderForm;
  /** Called for each book that is shown: orders may have been filled. */
  readonly onBook: (chosen: Chosen, book: Book) => void;
  readonly onCancel: (orders: readonly RestingOrder[]) => void;
}

interface BookView {
  /** Shows the book of an outcome until another one is chosen. */
  choose(chosen: Chosen): void;
  /** Asks for the book at once, without waiting for the next turn. */
  refresh(): void;
  /** Takes the orders of the user, which it marks in the ladder. */
  markOwn(orders: readonly RestingOrder[]): void;
}

function createBookView({ client, form, onBook, onCancel }: Parts): BookView {
  const ladder = find('ladder', HTMLElement);
  const chart = find('depth-chart', SVGGElement);
  let watching = new AbortController();
  let shown: Chosen | undefined;
  let own: readonly RestingOrder[] = [];

  const mark = () =>
    markOwn(
      ladder,
      own.filter(({ tokenId }) => tokenId === shown?.outcome.token_id),
      onCancel,
    );

  function show(book: Book): void {
    showLoaded();
    say('book-error', '');
    const changed = book.timestamp === null ? '' : ` Changed at ${timeOfDay(new Date(book.timestamp))}.`;
    say('book-facts', `Last trade: ${book.last_trade_price ?? 'none yet'}.${changed}`);
    const cancelling = document.activeElement?.getAttribute('data-cancel');
    showLadder(ladder, book, form.usePrice);
    mark();
    if (cancelling) ladder.querySelector<HTMLElement>(`[data-cancel="${cancelling}"]`)?.focus();
    drawDepth(chart, book);
    say('depth-text', describeDepth(book));
    form.update(book);
    if (shown) onBook(shown, book);
  }

  async function watch(tokenId: string): Promise<void> {
    watching.abort();
    watching = new AbortController();
    const complain = ({ detail, code }: OrderBookError) => {
      showLoaded();
      say('book-error', `Not up to date: ${detail} (${code})`);
    };
    try {
      await client.watchBook(tokenId, show, { signal: watching.signal, onError: complain });
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      complain(error);
    }
  }

  const refresh = () => void (shown && watch(shown.outcome.token_id));
  // A hidden page asks for nothing.
  document.addEventListener('visibilitychange', () => (document.hidden ? watching.abort() : refresh()));
  return {
    choose: (chosen) => {
      shown = chosen;
      const { market, outcome } = chosen;
      say('book-title', `${outcome.name ?? 'Outcome'}: ${market.question ?? market.id}`);
      say('book-error', '');
      form.choose(chosen);
      markChosen(find('market-list', HTMLElement), outcome.token_id);
      refresh();
    },
    refresh,
    markOwn: (orders) => {
      own = orders;
      mark();
    },
  };
}

/** Ends the loading state of the page. */
function showLoaded(): void {
  find('console', HTMLElement).classList.remove('loading');
}

/** Lists the markets, and asks again after a while where they cannot be listed. */
async function loadMarkets(client: Client, choose: (chosen: Chosen) => void): Promise<void> {
  const list = find('market-list', HTMLElement);
  const search = find('search', HTMLInputElement);
  let markets: readonly Market[] = [];
  let hasMore = false;
  let chosenToken = '';
  const chooseAndKeep = (chosen: Chosen) => {
    chosenToken = chosen.outcome.token_id;
    choose(chosen);
  };
  const show = () => {
    const count = showMarkets(list, markets, search.value, chooseAndKeep);
    if (count === 0) list.replaceChildren(make('p', {}, 'No market has all of these words.'));
    const rest = hasMore ? ` of the ${MARKETS} most traded` : '';
    say('market-count', counted(count, 'market') + rest);
    markChosen(list, chosenToken);
  };
  search.addEventListener('input', show);
  const load = async (): Promise<void> => {
    try {
      ({ items: markets, has_more: hasMore } = await client.markets({ limit: MARKETS }));
      show();
      const [market] = markets;
      const outcome = market?.outcomes[0];
      if (market && outcome) return chooseAndKeep({ market, outcome });
      showLoaded();
      say('book-facts', 'No market, so no book.');
      list.replaceChildren(make('p', {}, 'The venue lists no market now.'));
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      showLoaded();
      say('market-count', `Trying again every ${RETRY_MS / 1_000} s…`);
      say('book-facts', 'No book until the markets are listed.');
      const failure = `The markets cannot be listed: ${error.detail} (${error.code})`;
      if (list.textContent !== failure) list.replaceChildren(make('p', { class: 'error', role: 'alert' }, failure));
      setTimeout(() => void load(), RETRY_MS);
    }
  };
  await load();
}

/** Shows what only a paper venue has; returns the switch, or `undefined` for a service that is not on paper. */
function openPaperTools(isPaper: boolean, log: RequestLog, refresh: () => void): FaultSwitch | undefined {
  find('paper-tools', HTMLElement).hidden = !isPaper;
  find('last-trades', HTMLElement).hidden = !isPaper;
  if (!isPaper) return undefined;
  const faults = createFaultSwitch(find('faults', HTMLFieldSetElement), (failure = '') => {
    say('fault-error', failure);
    refresh();
  });
  log.loseOrderAnswers(faults.losesAnswers);
  return faults;
}

/** Shows the orders of the paper venue; returns a sentence on how many of them have this id. */
async function proveAtVenue(orderId: string | undefined, onOrders: BookView['markOwn']): Promise<string | undefined> {
  try {
    const orders = await listVenueOrders();
    showVenueOrders(find('venue-orders', HTMLElement), orders);
    onOrders(orders.flatMap(({ resting }) => resting ?? []));
    say('venue-order-count', `${counted(orders.length, 'order')} at the venue`);
    if (orderId === undefined) return undefined;
    const count = orders.filter(({ id }) => id === orderId).length;
    return `The venue has ${counted(count, 'order')} under this id.`;
  } catch (error) {
    say('venue-order-count', `The orders cannot be listed: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
}

/** Shows the last trades of an outcome; what cannot be read leaves those of before. */
async function showLastTrades({ market, outcome }: Chosen, { tick_size }: Book): Promise<void> {
  const other = market.outcomes.find(({ token_id }) => token_id !== outcome.token_id);
  const trades = await listTrades(outcome.token_id, other?.token_id).catch(() => undefined);
  if (trades) showTrades(find('trade-rows', HTMLElement), trades, tick_size);
}

/** Takes orders off the paper venue's book; returns a sentence on those that were not taken off. */
async function cancelOrders(orders: readonly RestingOrder[]): Promise<string> {
  const ends = await Promise.allSettled(orders.map(({ id }) => cancelAtVenue(id)));
  const left = ends.filter(({ status }) => status === 'rejected').length;
  return left === 0 ? '' : `${counted(left, 'order')} not cancelled: filled meanwhile, or the venue is away.`;
}

/** Sends as the log does; a book that has not changed is up to date, so its error is cleared. */
function sendVia(log: RequestLog): RequestLog['send'] {
  return async (url, init) => {
    const response = await log.send(url, init);
    if (response.status === 304) say('book-error', '');
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

/** Loads the page again once the service tells what it is: only then can the page know whether it may order. */
async function reloadOnceKnown(serviceUrl: string): Promise<void> {
  try {
    await createClient({ baseUrl: serviceUrl }).health();
    location.reload();
  } catch (error) {
    if (!(error instanceof OrderBookError)) throw error;
    setTimeout(() => void reloadOnceKnown(serviceUrl), RETRY_MS);
  }
}

async function open(serviceUrl: string, paperWallet: string | undefined): Promise<void> {
  const log = createRequestLog(find('log', HTMLElement));
  const client = createClient({ baseUrl: serviceUrl, fetch: sendVia(log) });
  const health = await readHealth(client);
  const isPaper = paperWallet !== undefined && health?.wallet_address === paperWallet;
  showService(serviceUrl, health, isPaper);
  const form = createOrderForm({ isPaper, onOrder: (order) => void place(order) });
  const onBook = (chosen: Chosen, book: Book) => {
    if (!isPaper) return;
    void proveAtVenue(undefined, view.markOwn);
    void showLastTrades(chosen, book);
  };
  const onCancel = (orders: readonly RestingOrder[]) =>
    void cancelOrders(orders).then((failure) => {
      view.refresh();
      say('cancel-error', failure);
    });
  const view: BookView = createBookView({ client, form, onBook, onCancel });
  const faults = openPaperTools(isPaper, log, view.refresh);
  const place = createPlacement({
    client,
    log,
    account: `${serviceUrl} ${health?.wallet_address}`,
    prepare: async () => {
      await faults?.ready();
      await checkService(client, health);
    },
    onBlock: form.block,
    onAnswer: async (orderId) => {
      faults?.orderAnswered();
      return isPaper ? proveAtVenue(orderId, view.markOwn) : undefined;
    },
    onRemedy: form.apply,
  });
  if (health?.mode !== 'order-placing') form.block('This service takes no orders from this page');
  if (!health) setTimeout(() => void reloadOnceKnown(serviceUrl), RETRY_MS);
  await loadMarkets(client, view.choose);
}

async function start(): Promise<void> {
  const { serviceUrl, paperWallet } = await readFacts();
  if (serviceUrl !== undefined && URL.canParse(serviceUrl)) return open(serviceUrl, paperWallet);
  find('service-form', HTMLFormElement).hidden = false;
  find('console', HTMLElement).hidden = true;
}

void start();

import { type Book, createClient } from '../client/client.ts';
import { createBookView } from './book-view.ts';
import { createChart } from './chart.ts';
import { part } from './dom.ts';
import { createFaultSwitch, type FaultSwitch } from './faults.ts';
import { textOf } from './json.ts';
import { type Chosen, createMarketList, namesOf } from './markets.ts';
import { createOrderForm } from './order-form.ts';
import { isOnPaper, meetService } from './service.ts';
import { createSheets } from './sheets.ts';
import { createStaleness } from './staleness.ts';
import { startTrading, type Trading } from './trading.ts';

/** Age at which a book, or the orders of the paper venue, are no longer called live: a slow network takes some seconds. */
const MAX_AGE_MS = 6_000;

/** Reads `console.json` beside the page; a page served without it takes `?service=`. */
async function readFacts() {
  const named = new URLSearchParams(location.search).get('service') ?? undefined;
  const response = await fetch('console.json').catch(() => undefined);
  const facts: unknown = response?.ok ? await response.json().catch(() => undefined) : undefined;
  // No other service has the paper wallet, since every start has its own.
  return { serviceUrl: textOf(facts, 'service_url') ?? named, paperWallet: textOf(facts, 'paper_wallet') };
}

/** Opens the page on a service: books at once, and orders as soon as its health is there. */
async function open(serviceUrl: string, paperWallet: string | undefined): Promise<void> {
  let [chosen, book, trading, faults]: [Chosen?, Book?, Trading?, FaultSwitch?] = [];
  let [isPaper, isStale] = [false, false];
  const [sheets, chart] = [createSheets(), createChart()];
  const onStale = (staleSince: string | undefined) => {
    form.know({ staleSince });
    // After a break, the service may be another one.
    if (isStale && staleSince === undefined) void trading?.verify();
    if (!isStale && staleSince !== undefined && chosen) chart.add(chosen.outcome.token_id);
    isStale = staleSince !== undefined;
  };
  const staleness = createStaleness({ element: document.body, noteId: 'book-error', maxAgeMs: MAX_AGE_MS, onStale });
  const send = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    if (response.status === 304) staleness.confirm('book');
    if (init.method !== 'POST' || !faults?.losesAnswers()) return response;
    throw new TypeError('This page threw the answer away, as a broken connection would.');
  };
  const client = createClient({ baseUrl: serviceUrl, fetch: send });
  const form = createOrderForm({
    isPaper: () => isPaper,
    onOrder: (order) => chosen && void trading?.place(order, namesOf(chosen)),
  });
  form.block('Waiting for the service…');
  const choose = (next: Chosen) => {
    [chosen, book] = [next, undefined];
    history.replaceState(null, '', `#${next.outcome.token_id}`);
    list.markChosen(next);
    form.choose(next);
    view.choose(next);
    // Until its book is there: the prices of another market must not reach the ticket.
    sheets.showPrices(next, undefined, form.usePrice);
    if (faults) part('account').replaceChildren();
    sheets.leaveMarkets();
    void trading?.refresh();
  };
  const view = createBookView({
    client,
    staleness,
    usePrice: form.usePrice,
    cancel: (own) => void trading?.cancel(own),
    onChoose: choose,
    onBook: (next, { outcome }) => {
      book = next;
      form.update(next);
      chart.add(outcome.token_id, next);
      if (chosen) sheets.showPrices(chosen, next, form.usePrice);
    },
  });
  const list = createMarketList(client, choose);
  const health = await meetService({ client, serviceUrl, paperWallet, hasRead: () => book !== undefined });
  isPaper = isOnPaper(health, paperWallet);
  if (isPaper && health.wallet_address === paperWallet) faults = createFaultSwitch(view.refresh);
  const parts = { client, serviceUrl, health, fetch: send, faults, staleness, form, view, list, sheets };
  trading = startTrading({ ...parts, shown: () => ({ chosen, book }), onChoose: choose });
}

async function start(): Promise<void> {
  const { serviceUrl, paperWallet } = await readFacts();
  const isKnown = serviceUrl !== undefined && URL.canParse(serviceUrl);
  [part('service-form').hidden, part('console').hidden] = [isKnown, !isKnown];
  // Before the service has answered, so that nothing moves when it does.
  part('console').classList.toggle('paper', paperWallet !== undefined);
  if (isKnown) await open(serviceUrl, paperWallet);
}

void start();

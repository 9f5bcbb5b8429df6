import { type Book, createClient, type OrderRequest } from '../client/client.ts';
import { createBookView } from './book-view.ts';
import { createChart } from './chart.ts';
import { part } from './dom.ts';
import type { OwnOrder } from './holdings.ts';
import { type Chosen, createMarketList } from './markets.ts';
import { createOrderForm } from './order-form.ts';
import { createSheets } from './sheets.ts';
import { createStaleness } from './staleness.ts';

/** Age at which a book, or the orders of the paper venue, are no longer called live: a slow network takes some seconds. */
const MAX_AGE_MS = 6_000;

/** What the page does beyond reading, once it knows its service. */
interface Trading {
  readonly isPaper: boolean;
  readonly place: (order: OrderRequest, chosen: Chosen, bound: string | undefined) => void;
  readonly cancel: (orders: readonly OwnOrder[]) => void;
  readonly onChosen: () => void;
  /** Called when the page is up to date again: another service may answer by now. */
  readonly onBack: () => void;
}

/** The parts of the page that read a service. */
export type Page = ReturnType<typeof createPage>;

/** Opens markets, books and the ticket on a service. */
export function createPage(serviceUrl: string) {
  const shown: { chosen?: Chosen; book?: Book | undefined } = {};
  let trading: Trading | undefined;
  let isStale = false;

  function onStale(staleSince: string | undefined): void {
    form.know({ staleSince });
    if (isStale && staleSince === undefined) trading?.onBack();
    if (!isStale && staleSince !== undefined && shown.chosen) chart.add(shown.chosen.outcome.token_id);
    isStale = staleSince !== undefined;
  }

  async function send(url: string, init: RequestInit): Promise<Response> {
    const response = await fetch(url, init);
    if (response.status !== 304) return response;
    staleness.confirm('book');
    if (shown.chosen) chart.add(shown.chosen.outcome.token_id, shown.book);
    return response;
  }

  function choose(next: Chosen): void {
    Object.assign(shown, { chosen: next, book: undefined });
    history.replaceState(null, '', `#${next.outcome.token_id}`);
    list.markChosen(next);
    chart.clear();
    form.choose(next);
    view.choose(next);
    // Until its book is there: the prices of another market must not reach the ticket.
    sheets.showPrices(next, undefined, form.usePrice);
    sheets.leaveMarkets();
    trading?.onChosen();
  }

  const staleness = createStaleness({ element: document.body, noteId: 'book-error', maxAgeMs: MAX_AGE_MS, onStale });
  const client = createClient({ baseUrl: serviceUrl, fetch: send });
  const [sheets, chart] = [createSheets(), createChart()];
  const form = createOrderForm(
    (order, bound) => shown.chosen && trading?.place(order, shown.chosen, bound),
    () => trading?.isPaper === true,
  );
  form.block('Waiting for the service…');
  const view = createBookView({
    ...{ client, staleness, usePrice: form.usePrice, onChoose: choose },
    cancel: (own) => trading?.cancel(own),
    onBook: (book, chosen) => {
      shown.book = book;
      form.update(book);
      chart.add(chosen.outcome.token_id, book);
      sheets.showPrices(chosen, book, form.usePrice);
    },
  });
  const list = createMarketList(client, choose);
  return {
    ...{ serviceUrl, client, send, shown, staleness, form, view, list, sheets, choose },
    forbid: (reason: string) => {
      part('console').classList.add('reads-only');
      form.block(reason);
    },
    trade: (by: Trading) => {
      trading = by;
    },
  };
}

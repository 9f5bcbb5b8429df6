import { type Client, formatUnits, type Market, OrderBookError, parseUnits } from '../client/client.ts';
import { find, make, makeButton, part, repeatWhileVisible, replaceKeepingFocus, say } from './dom.ts';
import { counted, formatMoney, formatPrice, formatTime, plainName } from './figures.ts';
import { createStaleness } from './staleness.ts';

/** Markets that are listed: more make a slow page and a slow answer. */
const MARKETS = 100;
/** Pause between two listings, of which the service's own is up to a minute old, and after one that failed. */
const [REFRESH_MS, RETRY_MS] = [60_000, 5_000];
/** A listing may take some seconds. */
const MAX_AGE_MS = 75_000;

/** An outcome to trade, with its market. */
export interface Chosen {
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
}

/** Names an outcome as an order keeps it. */
export function namesOf({ market, outcome }: Chosen) {
  return { market: market.question ?? `Market ${market.id}`, outcome: outcome.name ?? 'shares' };
}

type Choose = (chosen: Chosen) => void;

/** The list of markets. */
export type MarketList = ReturnType<typeof createMarketList>;

function withPlainNames(market: Market): Market {
  const plain = (name: string | null) => name && plainName(name);
  const outcomes = market.outcomes.map((outcome) => ({ ...outcome, name: plain(outcome.name) }));
  const event = market.event && { ...market.event, title: plain(market.event.title) };
  return { ...market, question: plain(market.question), outcomes, event };
}

/** Returns the best price of an outcome in the list; of the second one of two it mirrors the first one's other side. */
export function bestOf({ market, outcome }: Chosen, side: 'bid' | 'ask'): string | undefined {
  const { best_bid: bid, best_ask: ask, outcomes } = market;
  if (outcome === outcomes[0]) return (side === 'bid' ? bid : ask) ?? undefined;
  const other = side === 'bid' ? ask : bid;
  return outcomes.length === 2 && other !== null ? formatUnits(parseUnits('1') - parseUnits(other)) : undefined;
}

function makeMarket(market: Market, choose: Choose): HTMLLIElement {
  const question = market.question ?? `Market ${market.id}`;
  const buttons = market.outcomes.map((outcome) => {
    // The price to buy at.
    const price = bestOf({ market, outcome }, 'ask');
    const text = price === undefined ? '' : ` ${formatPrice(price, market.tick_size ?? undefined)}`;
    const label = `${outcome.name ?? 'Outcome'}${text}`;
    const attributes = { 'aria-label': `${label}: ${question}`, 'data-key': outcome.token_id };
    return makeButton(label, () => choose({ market, outcome }), attributes);
  });
  const volume =
    market.volume_24h === null ? [] : [make('small', {}, `Volume 24 h: ${formatMoney(market.volume_24h)}`)];
  return make('li', {}, make('p', {}, question), make('div', { class: 'pair' }, buttons, volume));
}

function makeGroup(markets: readonly Market[], choose: Choose): HTMLElement {
  const [first] = markets;
  const title = first?.event?.title ?? null;
  const heading = title === null || title === first?.question ? [] : [make('h3', {}, title)];
  const items = markets.map((market) => makeMarket(market, choose));
  return make('div', { class: 'event' }, heading, make('ul', {}, items));
}

/** Returns the markets that hold every word of the search. */
function matching(markets: readonly Market[], search: string): readonly Market[] {
  const words = search.toLowerCase().split(/\s+/);
  return markets.filter((market) => {
    const text = [market.question, market.event?.title].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns the new markets in the order in which the page shows them already; those that are new come last. */
function keepPlaces(shown: readonly Market[], listed: readonly Market[]): readonly Market[] {
  const byId = new Map(listed.map((market) => [market.id, market]));
  const kept = shown.flatMap(({ id }) => byId.get(id) ?? []);
  return [...kept, ...listed.filter((market) => !kept.includes(market))];
}

/** Lists the markets, again each minute, and chooses the one in the address, or else the first one. */
export function createMarketList(client: Client, choose: Choose) {
  const [list, search] = [part('market-list'), find('search', HTMLInputElement)];
  const staleness = createStaleness({ element: part('markets'), noteId: 'market-error', maxAgeMs: MAX_AGE_MS });
  let markets: readonly Market[] = [];
  let [hasMore, readAt] = [false, ''];
  let chosenToken: string | undefined;

  function mark(): void {
    for (const button of list.querySelectorAll('button')) {
      button.setAttribute('aria-pressed', String(button.dataset['key'] === chosenToken));
    }
  }

  function show(): void {
    const found = matching(markets, search.value);
    // By their events, in the order in which the events first come.
    const groups = Map.groupBy(found, ({ event, id }) => (event ? `event ${event.id}` : `market ${id}`));
    const none = markets.length === 0 ? 'The venue lists no market now.' : 'No market has all of these words.';
    const rows = [...groups.values()].map((group) => makeGroup(group, choose));
    replaceKeepingFocus(list, rows.length > 0 ? rows : [make('p', {}, none)]);
    const listed = counted(found.length, 'market') + (hasMore ? ` of the ${MARKETS} most traded` : '');
    say('market-count', `${listed} · prices of ${readAt}`);
    mark();
  }

  function outcomeOf(tokenId: string): Chosen | undefined {
    const all = markets.flatMap((market) => market.outcomes.map((outcome) => ({ market, outcome })));
    return all.find(({ outcome }) => outcome.token_id === tokenId);
  }

  const named = () => outcomeOf(location.hash.slice(1));

  function chooseFirst(): void {
    const [market] = markets;
    const outcome = market?.outcomes[0];
    const first = named() ?? (market && outcome && { market, outcome });
    if (first) choose(first);
    else say('book-facts', 'No market, so no book.');
  }

  async function load(): Promise<number> {
    try {
      const { items, has_more } = await client.markets({ limit: MARKETS });
      [markets, hasMore] = [keepPlaces(markets, items.map(withPlainNames)), has_more];
      readAt = formatTime(new Date());
      staleness.confirm('list');
      show();
      if (chosenToken === undefined) chooseFirst();
      return REFRESH_MS;
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      staleness.fail('list', `The markets cannot be listed: ${error.detail}`);
      if (markets.length === 0) say('market-count', `Trying again every ${RETRY_MS / 1_000} s…`);
      if (chosenToken === undefined) say('book-facts', 'No book until the markets are listed.');
      return RETRY_MS;
    }
  }

  search.addEventListener('input', show);
  addEventListener('hashchange', () => {
    const chosen = named();
    if (chosen && chosen.outcome.token_id !== chosenToken) choose(chosen);
  });
  void repeatWhileVisible(load);
  return {
    /** Marks the outcome that the page shows. */
    markChosen: ({ outcome }: Chosen) => {
      chosenToken = outcome.token_id;
      mark();
    },
    /** Returns the outcome of a token; `undefined` if its market is not listed. */
    outcomeOf,
  };
}

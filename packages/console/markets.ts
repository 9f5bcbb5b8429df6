import { type Client, formatUnits, type Market, OrderBookError, parseUnits } from '../client/client.ts';
import { counted, find, make, makeButton, replaceKeepingFocus, say } from './dom.ts';
import { formatMoney, formatPrice } from './figures.ts';
import { createStaleness } from './staleness.ts';

/** Markets that are listed: more make a slow page and a slow answer. */
const MARKETS = 100;
/** Pause between two listings. The service's own list is up to a minute old. */
const REFRESH_MS = 60_000;
/** Pause after a listing that failed. */
const RETRY_MS = 5_000;

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
export interface MarketList {
  /** Marks the outcome that the page shows. */
  markChosen(chosen: Chosen): void;
  /** Returns the outcome of a token; `undefined` if its market is not listed. */
  outcomeOf(tokenId: string): Chosen | undefined;
}

/** Names an outcome with its price to buy: the lowest ask, which for the second outcome mirrors the best bid for the first. */
function labelOfOutcome({ best_ask, best_bid, outcomes, tick_size }: Market, index: number): string {
  const mirrored =
    outcomes.length === 2 && best_bid !== null ? formatUnits(parseUnits('1') - parseUnits(best_bid)) : null;
  const price = index === 0 ? best_ask : mirrored;
  const text = price === null ? '' : formatPrice(price, tick_size ?? undefined);
  return `${outcomes[index]?.name ?? 'Outcome'} ${text}`.trim();
}

function makeMarket(market: Market, choose: Choose): HTMLLIElement {
  const question = market.question ?? `Market ${market.id}`;
  const buttons = market.outcomes.map((outcome, index) => {
    const label = labelOfOutcome(market, index);
    const attributes = { 'aria-label': `${label}: ${question}`, 'data-key': outcome.token_id };
    return makeButton(label, () => choose({ market, outcome }), attributes);
  });
  const volume =
    market.volume_24h === null ? [] : [make('small', {}, `Volume 24 h: ${formatMoney(market.volume_24h)}`)];
  return make('li', {}, make('p', {}, question), make('div', { class: 'outcomes' }, buttons, volume));
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

/** Returns the token in the address of the page, which names the market. */
function tokenInAddress(): string {
  return location.hash.slice(1);
}

/** Lists the markets, again each minute, and chooses the one in the address, or else the first one. */
export function createMarketList(client: Client, choose: Choose): MarketList {
  const list = find('market-list', HTMLElement);
  const search = find('search', HTMLInputElement);
  const staleness = createStaleness(find('markets', HTMLElement), 'market-error');
  let markets: readonly Market[] = [];
  let hasMore = false;
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
    say('market-count', counted(found.length, 'market') + (hasMore ? ` of the ${MARKETS} most traded` : ''));
    mark();
  }

  function outcomeOf(tokenId: string): Chosen | undefined {
    const all = markets.flatMap((market) => market.outcomes.map((outcome) => ({ market, outcome })));
    return all.find(({ outcome }) => outcome.token_id === tokenId);
  }

  function chooseFirst(): void {
    const [market] = markets;
    const outcome = market?.outcomes[0];
    const first = outcomeOf(tokenInAddress()) ?? (market && outcome && { market, outcome });
    if (first) choose(first);
    else say('book-facts', 'No market, so no book.');
  }

  async function load(): Promise<void> {
    try {
      const { items, has_more } = await client.markets({ limit: MARKETS });
      [markets, hasMore] = [keepPlaces(markets, items), has_more];
      staleness.confirm();
      show();
      if (chosenToken === undefined) chooseFirst();
      setTimeout(() => void load(), REFRESH_MS);
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      staleness.fail(`The markets cannot be listed: ${error.detail} (${error.code})`);
      if (markets.length === 0) say('market-count', `Trying again every ${RETRY_MS / 1_000} s…`);
      if (chosenToken === undefined) say('book-facts', 'No book until the markets are listed.');
      setTimeout(() => void load(), RETRY_MS);
    }
  }

  search.addEventListener('input', show);
  addEventListener('hashchange', () => {
    const named = outcomeOf(tokenInAddress());
    if (named && named.outcome.token_id !== chosenToken) choose(named);
  });
  void load();
  return {
    markChosen: ({ outcome }) => {
      chosenToken = outcome.token_id;
      mark();
    },
    outcomeOf,
  };
}

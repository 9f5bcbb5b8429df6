import { type Client, formatUnits, type Market, OrderBookError, parseUnits } from '../client/client.ts';
import { find, make, makeButton, part, repeatWhileVisible, replaceKeepingFocus, say } from './dom.ts';
import { formatMoney, formatPrice, formatTime } from './figures.ts';
import { createStaleness } from './staleness.ts';
import { sentenceOf } from './words.ts';

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

/** Creates the button that opens the market of an order; of one that is not listed it only shows the question. */
export function makeLink(question: string | undefined, key: string, open: () => void): HTMLElement {
  const text = question || 'a market that is not listed';
  return makeButton(text, open, { class: 'plain name', title: text, 'data-key': `market ${key}` });
}

/** Names an outcome as an order keeps it. */
export function namesOf({ market, outcome }: Chosen) {
  return { market: market.question ?? `Market ${market.id}`, outcome: outcome.name ?? 'shares' };
}

type Choose = (chosen: Chosen) => void;

/** Returns the best price of an outcome in the list; of the second one of two it mirrors the first one's other side. */
export function bestOf({ market, outcome }: Chosen, side: 'bids' | 'asks'): string | undefined {
  const { best_bid: bid, best_ask: ask, outcomes } = market;
  if (outcome === outcomes[0]) return (side === 'bids' ? bid : ask) ?? undefined;
  const other = side === 'bids' ? ask : bid;
  return outcomes.length === 2 && other !== null ? formatUnits(parseUnits('1') - parseUnits(other)) : undefined;
}

function makeMarket(market: Market, choose: Choose): HTMLLIElement {
  const [question, [outcome]] = [market.question ?? `Market ${market.id}`, market.outcomes];
  if (!outcome) return make('li', {}, question);
  // The price to buy at.
  const price = bestOf({ market, outcome }, 'asks');
  const text = price === undefined ? '—' : formatPrice(price, market.tick_size ?? undefined);
  const { volume_24h: day } = market;
  const title = `${outcome.name ?? 'Outcome'} at ${text}${day === null ? '' : `, volume 24 h ${formatMoney(day)}`}`;
  const attributes = {
    class: 'plain market',
    title,
    'data-key': `${outcome.token_id} ${market.outcomes[1]?.token_id}`,
  };
  const button = makeButton('', () => choose({ market, outcome }), attributes);
  button.append(make('span', {}, question), make('b', {}, text));
  return make('li', {}, button);
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
  const places = new Map(shown.map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: Market) => places.get(id) ?? shown.length;
  return listed.toSorted((one, other) => placeOf(one) - placeOf(other));
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
      button.setAttribute('aria-pressed', String(button.dataset['key']?.split(' ').includes(chosenToken ?? '')));
    }
  }

  function show(): void {
    const found = matching(markets, search.value);
    // By their events, in the order in which the events first come.
    const groups = Map.groupBy(found, ({ event, id }) => (event ? `event ${event.id}` : `market ${id}`));
    const none = markets.length === 0 ? 'The venue lists no market now.' : 'No market has all of these words.';
    const rows = [...groups.values()].map((group) => makeGroup(group, choose));
    replaceKeepingFocus(list, rows.length > 0 ? rows : [make('p', {}, none)]);
    const of = hasMore ? `, of the ${MARKETS} most traded` : '';
    say('market-count', `${found.length} listed${of} · prices of ${readAt}`);
    mark();
  }

  function outcomes(): readonly Chosen[] {
    return markets.flatMap((market) => market.outcomes.map((outcome) => ({ market, outcome })));
  }

  function outcomeOf(tokenId: string): Chosen | undefined {
    return outcomes().find(({ outcome }) => outcome.token_id === tokenId);
  }

  function chooseFirst(): void {
    const first = outcomeOf(location.hash.slice(1)) ?? outcomes()[0];
    if (first) choose(first);
    else say('book-facts', 'No market, so no book.');
  }

  async function load(): Promise<number> {
    try {
      const { items, has_more } = await client.markets({ limit: MARKETS });
      // The market that the address names may not be among the most traded.
      const [, named] = /^#(\d+)$/.exec(location.hash) ?? [];
      const isListed = items.some(({ outcomes }) => outcomes.some(({ token_id: token }) => token === named));
      const more = isListed || named === undefined ? [] : (await client.markets({ tokenIds: [named] })).items;
      [markets, hasMore] = [keepPlaces(markets, [...items, ...more]), has_more];
      readAt = formatTime(new Date());
      staleness.confirm('list');
      show();
      if (chosenToken === undefined) chooseFirst();
      return REFRESH_MS;
    } catch (error) {
      if (!(error instanceof OrderBookError)) throw error;
      staleness.fail('list', `The markets cannot be listed: ${sentenceOf(error)}`);
      if (chosenToken === undefined) say('book-facts', 'No book until the markets are listed.');
      return RETRY_MS;
    }
  }

  search.addEventListener('input', show);
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

import type { Market } from '../client/client.ts';
import { make } from './dom.ts';
import { fixed, money } from './figures.ts';

/** An outcome to trade, with its market. */
export interface Chosen {
  readonly market: Market;
  readonly outcome: Market['outcomes'][number];
}

type Choose = (chosen: Chosen) => void;

/** Brings markets together by their event, in the order in which the events first come. */
function groupByEvent(markets: readonly Market[]): ReadonlyMap<string, readonly Market[]> {
  return Map.groupBy(markets, ({ event, id }) => (event ? `event ${event.id}` : `market ${id}`));
}

function makeMarket(market: Market, choose: Choose): HTMLLIElement {
  const question = market.question ?? `Market ${market.id}`;
  const buttons = market.outcomes.map((outcome) => {
    const label = `${outcome.name ?? 'Outcome'} ${outcome.price === null ? '' : money(outcome.price)}`.trim();
    const button = make('button', { type: 'button', 'aria-label': `${label}: ${question}` }, label);
    button.dataset['tokenId'] = outcome.token_id;
    button.addEventListener('click', () => choose({ market, outcome }));
    return button;
  });
  const volume = market.volume_24h === null ? [] : [make('small', {}, `24 h: ${fixed(market.volume_24h, 2)} pUSD`)];
  return make('li', {}, make('p', {}, question), make('div', { class: 'outcomes' }, buttons, volume));
}

function makeGroup(markets: readonly Market[], choose: Choose): HTMLElement {
  const [first] = markets;
  const title = first?.event?.title ?? null;
  const heading = title === null || title === first?.question ? [] : [make('h3', {}, title)];
  const items = markets.map((market) => makeMarket(market, choose));
  return make('div', { class: 'event' }, heading, make('ul', {}, items));
}

function holds(market: Market, words: readonly string[]): boolean {
  const text = [market.question, market.event?.title].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Shows the markets that hold every word of the search, by their events. Returns how many there are. */
export function showMarkets(list: HTMLElement, markets: readonly Market[], search: string, choose: Choose): number {
  const words = search.toLowerCase().split(/\s+/);
  const found = markets.filter((market) => holds(market, words));
  list.replaceChildren(...[...groupByEvent(found).values()].map((group) => makeGroup(group, choose)));
  return found.length;
}

/** Marks the outcome that is shown. */
export function markChosen(list: HTMLElement, tokenId: string): void {
  for (const button of list.querySelectorAll('button')) {
    button.setAttribute('aria-pressed', String(button.dataset['tokenId'] === tokenId));
  }
}

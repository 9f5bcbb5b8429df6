import { formatUnits } from '../client/client.ts';
import { make, showRows } from './dom.ts';
import { formatMoney, formatPrice, formatShares } from './figures.ts';
import { type OwnOrder, positionsIn, profitAt } from './holdings.ts';
import { bestOf, makeLink } from './markets.ts';
import type { Page } from './page.ts';

/** Returns the best price at which shares could be sold or bought now. */
function priceOf(tokenId: string, side: 'bids' | 'asks', { shown: { chosen, book }, list }: Page): string | undefined {
  if (chosen?.outcome.token_id === tokenId && book) return book[side][0]?.price;
  const found = list.outcomeOf(tokenId);
  return found && bestOf(found, side);
}

/** Shows the positions, each with what it would bring now. */
export function showPositions(orders: readonly OwnOrder[], page: Page): void {
  const rows = positionsIn(orders).map((position) => {
    const { tokenId, outcome, net, average } = position;
    const [chosen, price] = [page.list.outcomeOf(tokenId), priceOf(tokenId, net < 0n ? 'asks' : 'bids', page)];
    const facts = {
      Net: `${formatShares(formatUnits(net)).replace('-', '−')} ${outcome}`,
      Average: formatPrice(average),
      Now: price === undefined ? '—' : formatPrice(price),
      Profit: price === undefined ? '—' : formatMoney(profitAt(position, price)),
    };
    const cells = Object.entries(facts).map(([term, value]) => make('p', { 'data-term': term }, value));
    const link = makeLink(chosen?.market.question ?? undefined, tokenId, () => chosen && page.choose(chosen));
    return make('li', { class: 'line' }, link, cells);
  });
  showRows('positions', rows, 'No position yet: nothing was filled.');
}

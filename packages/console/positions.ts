import { formatUnits } from '../client/client.ts';
import { make, makeButton, part, replaceKeepingFocus } from './dom.ts';
import { formatMoney, formatPrice, formatShares } from './figures.ts';
import { type OwnOrder, positionsIn, profitAt } from './holdings.ts';
import type { Chosen } from './markets.ts';

interface Sources {
  readonly outcomeOf: (tokenId: string) => Chosen | undefined;
  /** Returns the best price at which shares could be sold or bought now. */
  readonly priceOf: (tokenId: string, side: 'bid' | 'ask') => string | undefined;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Shows the positions, each with what it would bring now. */
export function showPositions(orders: readonly OwnOrder[], { outcomeOf, priceOf, onChoose }: Sources): void {
  const rows = positionsIn(orders).map((position) => {
    const { tokenId, outcome, net, average } = position;
    const [chosen, price] = [outcomeOf(tokenId), priceOf(tokenId, net < 0n ? 'ask' : 'bid')];
    const facts = {
      Net: `${formatShares(formatUnits(net)).replace('-', '−')} ${outcome}`,
      Average: formatPrice(average),
      Now: price === undefined ? '—' : formatPrice(price),
      Profit: price === undefined ? '—' : formatMoney(profitAt(position, price)),
    };
    const cells = Object.entries(facts).map(([term, value]) => make('p', { 'data-term': term }, value));
    const question = chosen?.market.question ?? 'a market that is not listed';
    const open = { class: 'plain name', title: question, 'data-key': `position ${tokenId}` };
    return make(
      'li',
      { class: 'line' },
      makeButton(question, () => chosen && onChoose(chosen), open),
      cells,
    );
  });
  const none = make('li', { class: 'line' }, make('p', { class: 'name' }, 'No position yet: nothing has been filled.'));
  replaceKeepingFocus(part('positions'), rows.length > 0 ? rows : [none]);
}

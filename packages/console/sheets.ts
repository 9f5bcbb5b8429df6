import type { Book } from '../client/client.ts';
import { find, make, part } from './dom.ts';
import { formatPrice } from './figures.ts';
import type { Chosen } from './markets.ts';

/** As in the style: below them, the ticket and the markets are sheets over the page. */
const [NARROW, MIDDLE] = ['(max-width: 47.99rem)', '(max-width: 63.99rem)'];

/** Creates the sheets of a narrow screen, and the bar that opens the ticket. */
export function createSheets() {
  const [ticket, markets, narrow] = [part('ticket'), part('markets'), matchMedia(NARROW)];
  for (const sheet of [ticket, markets]) {
    sheet.addEventListener('toggle', () => {
      if (sheet.matches(':popover-open')) sheet.querySelector('h2')?.focus();
    });
  }
  narrow.addEventListener('change', () => ticket.hidePopover());
  matchMedia(MIDDLE).addEventListener('change', () => markets.hidePopover());

  function openTicket(): void {
    if (narrow.matches) ticket.showPopover();
  }

  return {
    openTicket,
    /** Goes from the sheet of the markets to the book of the chosen one. */
    leaveMarkets: () => {
      if (!markets.matches(':popover-open')) return;
      markets.hidePopover();
      part('book-title').focus();
      scrollTo(0, 0);
    },
    /** Shows the best prices of an outcome in the bar; a press on one takes it into the ticket. */
    showPrices: ({ outcome }: Chosen, book: Book | undefined, use: (price: string, side: 'buy' | 'sell') => void) => {
      for (const side of ['sell', 'buy'] as const) {
        const [verb, level] = side === 'sell' ? ['Sell', book?.bids[0]] : ['Buy', book?.asks[0]];
        const price = level && formatPrice(level.price, book?.tick_size);
        const button = find(`bar-${side}`, HTMLButtonElement);
        button.replaceChildren(`${verb} ${price ?? ''}`, make('small', { class: 'name' }, outcome.name ?? 'Outcome'));
        button.onclick = () => {
          if (price !== undefined) use(price, side);
          openTicket();
        };
      }
    },
  };
}

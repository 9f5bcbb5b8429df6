import type { Book } from '../client/client.ts';
import { find, say } from './dom.ts';
import type { Draft } from './draft.ts';
import { formatPrice } from './figures.ts';

/** As in the style: below them, the ticket and the markets are sheets over the page. */
const NARROW = '(max-width: 47.99rem)';
const MIDDLE = '(max-width: 63.99rem)';

type Best = Pick<Book, 'bids' | 'asks' | 'tick_size'>;

/** The sheets of a narrow screen, and the bar that opens the ticket. */
export interface Sheets {
  openTicket(): void;
  /** Goes from the sheet of the markets to the book of the chosen one. */
  leaveMarkets(): void;
  /** Shows the best prices in the bar; a press on one takes it into the ticket. */
  showPrices(book: Best, usePrice: (price: string, side: Draft['side']) => void): void;
}

export function createSheets(): Sheets {
  const [ticket, markets] = [find('ticket', HTMLElement), find('markets', HTMLElement)];
  const [narrow, middle] = [matchMedia(NARROW), matchMedia(MIDDLE)];
  for (const sheet of [ticket, markets]) {
    sheet.addEventListener('toggle', () => {
      if (sheet.matches(':popover-open')) sheet.querySelector('h2')?.focus();
    });
  }
  narrow.addEventListener('change', () => ticket.hidePopover());
  middle.addEventListener('change', () => markets.hidePopover());

  function openTicket(): void {
    if (narrow.matches) ticket.showPopover();
  }

  return {
    openTicket,
    leaveMarkets: () => {
      if (!markets.matches(':popover-open')) return;
      markets.hidePopover();
      find('book-title', HTMLElement).focus();
      scrollTo(0, 0);
    },
    showPrices: ({ bids, asks, tick_size }, usePrice) => {
      for (const [side, name, level] of [
        ['sell', 'Sell', bids[0]],
        ['buy', 'Buy', asks[0]],
      ] as const) {
        const price = level && formatPrice(level.price, tick_size);
        say(`bar-${side}`, price === undefined ? name : `${name} ${price}`);
        find(`bar-${side}`, HTMLButtonElement).onclick = () => {
          if (price !== undefined) usePrice(price, side);
          openTicket();
        };
      }
    },
  };
}

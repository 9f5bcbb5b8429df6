import type { Book, OrderRequest } from '../client/client.ts';
import { costOf, type Draft, listCost, noteOn } from './cost.ts';
import { find, makeButton, makeFacts, say } from './dom.ts';
import {
  type Holdings,
  largestSize,
  type Mistakes,
  mistakesIn,
  movePrice,
  rulesOfPrice,
  rulesOfSize,
} from './draft.ts';
import { formatMoney, formatPrice, formatShares } from './figures.ts';
import type { Chosen } from './markets.ts';

/** Form of an order: one outcome, its book and what the user wrote. */
export interface OrderForm {
  /** Shows another outcome; its first book fills in the smallest order, at the best bid. */
  choose(chosen: Chosen): void;
  /** Takes the newest book of the chosen outcome. */
  update(book: Book): void;
  /** Takes what the wallet holds, where the page can learn it. */
  hold(holdings: Holdings): void;
  usePrice(price: string): void;
  /** Shows on the button why no order can be sent; `undefined` allows sending. */
  block(reason: string | undefined): void;
}

interface FormEvents {
  readonly onOrder: (order: OrderRequest) => void;
  readonly onChoose: (chosen: Chosen) => void;
  /** False for a service that may trade with real money: its orders need a consent. */
  readonly isPaper: boolean;
}

const fields = () => ({
  form: find('order-form', HTMLFormElement),
  outcomes: find('outcomes', HTMLElement),
  price: find('price', HTMLInputElement),
  size: find('size', HTMLInputElement),
  postOnly: find('post-only', HTMLInputElement),
  ends: find('ends', HTMLSelectElement),
  quickSizes: find('quick-sizes', HTMLElement),
  stakes: find('stakes', HTMLElement),
  consentRow: find('consent-row', HTMLElement),
  consent: find('consent', HTMLInputElement),
  send: find('send', HTMLButtonElement),
});

type Fields = ReturnType<typeof fields>;

/** Sizes to choose from, beside the smallest order of the book. */
const QUICK_SIZES = ['25', '100', '500'];

function readDraft({ form, price, size }: Fields): Draft {
  const side = new FormData(form).get('side') === 'sell' ? 'sell' : 'buy';
  return { side, price: price.value.trim(), size: size.value.trim() };
}

/** Formats the time that many seconds from now as the service wants it. */
function endAfter(seconds: string): string {
  return new Date(Date.now() + Number(seconds) * 1_000).toISOString().replace(/\.\d+/, '');
}

function readOrder(form: Fields, tokenId: string): OrderRequest {
  const end = form.ends.value === '' ? {} : { expires_at: endAfter(form.ends.value) };
  return { token_id: tokenId, ...readDraft(form), post_only: form.postOnly.checked, ...end };
}

/** Shows under a field what is wrong with it, or else its rule. */
function showHint(field: HTMLInputElement, mistake: string, rule: string): void {
  const hint = find(`${field.id}-hint`, HTMLElement);
  hint.classList.toggle('error', mistake !== '');
  field.setAttribute('aria-invalid', String(mistake !== ''));
  say(hint.id, mistake || rule);
}

function labelOf(
  { side, price, size }: Draft,
  { price: wrongPrice, size: wrongSize }: Mistakes,
  outcome: string,
): string {
  if (wrongPrice || price === '') return 'Correct the price';
  if (wrongSize || size === '') return 'Correct the size';
  return `${side === 'buy' ? 'Buy' : 'Sell'} ${formatShares(size)} ${outcome} at ${formatPrice(price)}`;
}

/** Creates the form; it sends nothing by itself. */
export function createOrderForm({ onOrder, onChoose, isPaper }: FormEvents): OrderForm {
  const form = fields();
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let holdings: Holdings | undefined;
  let blocked: string | undefined;

  function showCost(draft: Draft, isRight: boolean, outcome: string): void {
    const fees = chosen?.market.fees ?? null;
    const cost = book && isRight ? costOf(draft, book, fees) : undefined;
    const held = holdings && {
      'Balance, free': formatMoney(holdings.freeCollateral),
      Position: `${formatShares(holdings.shares)} ${outcome}`,
    };
    form.stakes.replaceChildren(makeFacts({ ...held, ...(cost && listCost(draft, cost)) }));
    say('cost-note', cost ? noteOn(draft, cost, form.postOnly.checked, fees) : '');
  }

  function show(): void {
    const draft = readDraft(form);
    const outcome = chosen?.outcome.name ?? 'shares';
    const mistakes = book ? mistakesIn(draft, book) : { price: '', size: '' };
    const isRight = !mistakes.price && !mistakes.size && draft.price !== '' && draft.size !== '';
    showHint(form.price, mistakes.price, book ? rulesOfPrice(book.tick_size) : '');
    showHint(form.size, mistakes.size, book ? rulesOfSize(book.min_order_size) : '');
    form.consentRow.hidden = isPaper;
    const isWanted = isPaper || form.consent.checked;
    form.send.disabled = blocked !== undefined || !book || !isRight || !isWanted;
    form.send.textContent = blocked ?? (book ? labelOf(draft, mistakes, outcome) : 'Waiting for the book…');
    form.send.className = `primary ${draft.side}`;
    showCost(draft, isRight, outcome);
  }

  function useSize(size: string): void {
    form.size.value = size;
    show();
  }

  function useLargest(): void {
    const draft = readDraft(form);
    if (!book || !holdings || draft.price === '' || mistakesIn(draft, book).price) return;
    useSize(largestSize(draft, book, chosen?.market.fees ?? null, holdings));
  }

  function offerSizes({ min_order_size }: Book): void {
    const larger = QUICK_SIZES.filter((size) => Number(size) > Number(min_order_size));
    const buttons = [min_order_size, ...larger].map((size) =>
      makeButton(size, () => useSize(size), { class: 'quick', 'aria-label': `${size} shares` }),
    );
    const largest = makeButton('Max', useLargest, {
      class: 'quick',
      'aria-label': 'Max: as many shares as the balance allows',
    });
    form.quickSizes.replaceChildren(...buttons, ...(isPaper ? [largest] : []));
  }

  function offerOutcomes({ market, outcome }: Chosen): void {
    const buttons = market.outcomes.map((each) => {
      const pressed = { 'aria-pressed': String(each.token_id === outcome.token_id) };
      return makeButton(each.name ?? 'Outcome', () => onChoose({ market, outcome: each }), pressed);
    });
    form.outcomes.replaceChildren(...buttons);
  }

  function step(direction: 'down' | 'up'): void {
    if (book) form.price.value = movePrice(form.price.value.trim(), book.tick_size, direction);
    show();
  }

  form.form.addEventListener('input', show);
  find('price-down', HTMLButtonElement).addEventListener('click', () => step('down'));
  find('price-up', HTMLButtonElement).addEventListener('click', () => step('up'));
  form.price.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 'up' : 'down');
  });
  form.form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!chosen || form.send.disabled) return;
    onOrder(readOrder(form, chosen.outcome.token_id));
    // Given for this order only.
    form.consent.checked = false;
    show();
  });

  return {
    choose: (next) => {
      [chosen, book, holdings] = [next, undefined, undefined];
      [form.price.value, form.size.value] = ['', ''];
      offerOutcomes(next);
      show();
    },
    update: (next) => {
      const isFirst = !book;
      book = next;
      if (isFirst) {
        offerSizes(next);
        form.price.value = formatPrice(next.bids[0]?.price ?? next.tick_size, next.tick_size);
        form.size.value = next.min_order_size;
      }
      show();
    },
    hold: (held) => {
      holdings = held;
      show();
    },
    usePrice: (price) => {
      form.price.value = price;
      show();
    },
    block: (reason) => {
      blocked = reason;
      show();
    },
  };
}

import { type Book, formatUnits, type OrderRequest, parseUnits, roundToTick } from '../client/client.ts';
import { type Cost, costOf, explainCost } from './cost.ts';
import { find, make, makeButton, makeFacts } from './dom.ts';
import { bounded, money } from './figures.ts';
import type { Chosen } from './markets.ts';
import type { Remedy } from './remedies.ts';

/** Form of an order: one outcome, its book and what the user wrote. */
export interface OrderForm {
  /** Shows another outcome; its first book fills in the smallest order, at the best bid. */
  choose(chosen: Chosen): void;
  /** Takes the newest book of the chosen outcome. */
  update(book: Book): void;
  usePrice(price: string): void;
  apply(change: Remedy['change']): void;
  /** Shows on the button why no order can be sent; `undefined` allows sending. */
  block(reason: string | undefined): void;
}

interface FormEvents {
  readonly onOrder: (order: OrderRequest) => void;
  /** False for a service that may trade with real money: its orders need a consent. */
  readonly isPaper: boolean;
}

const fields = () => ({
  form: find('order-form', HTMLFormElement),
  price: find('price', HTMLInputElement),
  size: find('size', HTMLInputElement),
  postOnly: find('post-only', HTMLInputElement),
  ends: find('ends', HTMLSelectElement),
  priceHint: find('price-hint', HTMLElement),
  sizeHint: find('size-hint', HTMLElement),
  quickSizes: find('quick-sizes', HTMLElement),
  stakes: find('stakes', HTMLElement),
  cost: find('cost', HTMLOutputElement),
  consentRow: find('consent-row', HTMLElement),
  consent: find('consent', HTMLInputElement),
  send: find('send', HTMLButtonElement),
});

type Fields = ReturnType<typeof fields>;

function sideOf({ form }: Fields): OrderRequest['side'] {
  return new FormData(form).get('side') === 'sell' ? 'sell' : 'buy';
}

/** Formats the time that many seconds from now as the service wants it. */
function endAfter(seconds: string): string {
  return new Date(Date.now() + Number(seconds) * 1_000).toISOString().replace(/\.\d+/, '');
}

function readOrder(form: Fields, tokenId: string): OrderRequest {
  return {
    token_id: tokenId,
    side: sideOf(form),
    price: form.price.value.trim(),
    size: form.size.value.trim(),
    post_only: form.postOnly.checked,
    ...(form.ends.value !== '' && { expires_at: endAfter(form.ends.value) }),
  };
}

/** Sizes to choose from, beside the smallest order of the book. */
const QUICK_SIZES = ['25', '100', '500'];

type Draft = Pick<OrderRequest, 'price' | 'side' | 'size'>;

/** What is at stake if all of it is filled, with the fee of an order that matches: the book may move under this one. */
function stakesOf({ side, size }: Draft, { notional, fee, bound }: Cost): Readonly<Record<string, string>> {
  const sum = (amount: string | null, end: 'at least' | 'at most') =>
    amount === null ? 'not published' : `${bounded(amount, end)} pUSD`;
  const charge = { 'Fee at this price': sum(fee, 'at most') };
  return side === 'buy'
    ? { 'Cost, at most': sum(bound, 'at most'), ...charge, 'Payout if it wins': `${money(String(size))} pUSD` }
    : { 'Shares at their price': `${money(notional)} pUSD`, ...charge, 'Proceeds, at least': sum(bound, 'at least') };
}

interface Explained {
  readonly sentences: readonly string[];
  readonly stakes: Readonly<Record<string, string>>;
}

function explain(form: Fields, book: Book, { market }: Chosen): Explained {
  const draft = { side: sideOf(form), price: form.price.value.trim(), size: form.size.value.trim() };
  if (draft.price === '' || draft.size === '') return { sentences: [], stakes: {} };
  try {
    const cost = costOf(draft, book, market.fees);
    return { sentences: explainCost(draft, cost, form.postOnly.checked, market.fees), stakes: stakesOf(draft, cost) };
  } catch (error) {
    if (error instanceof RangeError) return { sentences: [error.message], stakes: {} };
    throw error;
  }
}

/** Moves a price by one tick to the next one on the grid; a price that cannot move stays. */
function movePrice(price: string, tickSize: string, direction: 'down' | 'up'): string {
  try {
    const onGrid = roundToTick(price, tickSize, direction);
    const [from, tick] = [parseUnits(price), parseUnits(tickSize)];
    if (parseUnits(onGrid) !== from) return onGrid;
    return roundToTick(formatUnits(direction === 'up' ? from + tick : from - tick), tickSize, direction);
  } catch {
    return price;
  }
}

function describeRules(form: Fields, { tick_size, min_order_size }: Book): void {
  const highest = formatUnits(parseUnits('1') - parseUnits(tick_size));
  form.priceHint.textContent = `Steps of ${tick_size}, from ${tick_size} to ${highest} pUSD.`;
  form.sizeHint.textContent = `At least ${min_order_size} shares, at most 2 decimals.`;
}

export function createOrderForm({ onOrder, isPaper }: FormEvents): OrderForm {
  const form = fields();
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let blocked: string | undefined;

  function show(): void {
    const { side, price, size } = { side: sideOf(form), price: form.price.value, size: form.size.value };
    const outcome = chosen?.outcome.name ?? 'shares';
    form.consentRow.hidden = isPaper;
    form.consent.required = !isPaper;
    form.send.disabled = blocked !== undefined || !book;
    form.send.textContent = blocked ?? `${side === 'buy' ? 'Buy' : 'Sell'} ${size} ${outcome} at ${price}`;
    form.send.className = `primary ${side}`;
    const { sentences, stakes } = book && chosen ? explain(form, book, chosen) : { sentences: [], stakes: {} };
    form.stakes.replaceChildren(makeFacts(stakes));
    form.cost.replaceChildren(...sentences.map((line) => make('span', {}, line)));
  }

  function useSize(size: string): void {
    form.size.value = size;
    show();
  }

  function offerSizes({ min_order_size }: Book): void {
    const larger = QUICK_SIZES.filter((size) => parseUnits(size) > parseUnits(min_order_size));
    const buttons = [min_order_size, ...larger].map((size) =>
      makeButton(size, () => useSize(size), { class: 'quick', 'aria-label': `${size} shares` }),
    );
    form.quickSizes.replaceChildren(...buttons);
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
    if (!chosen || !book || blocked !== undefined) return;
    onOrder(readOrder(form, chosen.outcome.token_id));
    // Given for this order only.
    form.consent.checked = false;
  });

  return {
    choose: (next) => {
      [chosen, book] = [next, undefined];
      [form.price.value, form.size.value] = ['', ''];
      show();
    },
    update: (next) => {
      const isFirst = !book;
      book = next;
      describeRules(form, next);
      if (isFirst) {
        offerSizes(next);
        form.price.value = next.bids[0]?.price ?? next.tick_size;
        form.size.value = next.min_order_size;
      }
      show();
    },
    usePrice: (price) => {
      form.price.value = price;
      show();
    },
    apply: ({ price, size, ends, post_only }) => {
      if (price !== undefined) form.price.value = price;
      if (size !== undefined) form.size.value = size;
      if (ends !== undefined) form.ends.value = ends;
      if (post_only !== undefined) form.postOnly.checked = post_only;
      show();
    },
    block: (reason) => {
      blocked = reason;
      show();
    },
  };
}

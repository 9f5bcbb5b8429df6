import { type Book, formatUnits, type OrderRequest, parseUnits, roundToTick } from '../client/client.ts';
import { costOf, explainCost } from './cost.ts';
import { find, make } from './dom.ts';
import type { Chosen } from './markets.ts';
import type { Remedy } from './remedies.ts';

/** Form of an order: one outcome, its book and what the user wrote. */
export interface OrderForm {
  /** Shows another outcome, with the smallest order far from the market. */
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

function explain(form: Fields, book: Book, { market }: Chosen): readonly string[] {
  const draft = { side: sideOf(form), price: form.price.value.trim(), size: form.size.value.trim() };
  if (draft.price === '' || draft.size === '') return [];
  try {
    return explainCost(draft, costOf(draft, book, market.fees), form.postOnly.checked);
  } catch (error) {
    if (error instanceof RangeError) return [error.message];
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
  form.priceHint.textContent = `In pUSD a share: steps of ${tick_size}, from ${tick_size} to ${highest}.`;
  form.sizeHint.textContent = `In shares: at least ${min_order_size}, with at most 2 decimals.`;
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
    const lines = book && chosen ? explain(form, book, chosen) : [];
    form.cost.replaceChildren(...lines.map((line) => make('span', {}, line)));
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
  for (const button of form.form.querySelectorAll<HTMLButtonElement>('button[data-size]')) {
    button.addEventListener('click', () => {
      form.size.value = button.dataset['size'] ?? '';
      show();
    });
  }
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

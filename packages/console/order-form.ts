import { type Book, type OrderRequest, quote } from '../client/client.ts';
import { labelOf, listCost, noteOn, type Warning, type Weighed, warningsOf } from './advice.ts';
import { find, makeButton, makeFacts, say } from './dom.ts';
import {
  type Draft,
  largestSize,
  mistakesIn,
  movePrice,
  normalise,
  ownBest,
  rulesOfPrice,
  rulesOfSize,
} from './draft.ts';
import type { Chosen } from './markets.ts';

/** Form of an order: one outcome, its book and what the user wrote. */
export interface OrderForm {
  /** Takes another outcome; its first book fills in the smallest order, at the best price of its own side. */
  choose(chosen: Chosen): void;
  /** Takes the newest book of the chosen outcome. */
  update(book: Book): void;
  /** Takes what the wallet holds, or the time of the last good book where it is not up to date. */
  know(facts: Pick<Partial<Weighed>, 'holdings' | 'staleSince'>): void;
  /** Fills in a price, and the side if one is given. */
  usePrice(price: string, side?: Draft['side']): void;
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
  quickSizes: find('quick-sizes', HTMLElement),
  stakes: find('stakes', HTMLElement),
  consentRow: find('consent-row', HTMLElement),
  consent: find('consent', HTMLInputElement),
  send: find('send', HTMLButtonElement),
});

type Fields = ReturnType<typeof fields>;

/** Sizes to choose from, beside the smallest order of the book. */
const QUICK_SIZES = ['25', '100', '500'];

function readDraft({ form, price, size, postOnly }: Fields): Draft {
  const side = new FormData(form).get('side') === 'sell' ? 'sell' : 'buy';
  return { side, price: normalise(price.value), size: normalise(size.value), post_only: postOnly.checked };
}

/** Formats the time that many seconds from now as the service wants it. */
function endAfter(seconds: string): string {
  return new Date(Date.now() + Number(seconds) * 1_000).toISOString().replace(/\.\d+/, '');
}

function readOrder(form: Fields, tokenId: string): OrderRequest {
  const end = form.ends.value === '' ? {} : { expires_at: endAfter(form.ends.value) };
  return { token_id: tokenId, ...readDraft(form), ...end };
}

/** Shows under a field what is wrong with it, or else its rule. */
function showHint(field: HTMLInputElement, mistake: string, rule: string): void {
  const hint = find(`${field.id}-hint`, HTMLElement);
  hint.classList.toggle('error', mistake !== '');
  field.setAttribute('aria-invalid', String(mistake !== ''));
  say(hint.id, mistake || rule);
}

/** Creates the form; it sends nothing by itself. */
export function createOrderForm({ onOrder, isPaper }: FormEvents): OrderForm {
  const form = fields();
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let known: Pick<Weighed, 'holdings' | 'staleSince'> = { holdings: undefined, staleSince: undefined };
  let blocked: string | undefined;
  /** The order and the warnings that the user has consented to, or may now. */
  let subject = '';

  const market = () => ({ fees: chosen?.market.fees ?? null });

  function showStakes(weighed: Weighed | undefined, warnings: readonly Warning[]): void {
    form.stakes.replaceChildren(makeFacts(weighed ? listCost(weighed) : {}));
    form.stakes.classList.toggle('short', warnings[0]?.kind === 'short');
    find('cost-note', HTMLElement).classList.toggle('error', warnings.length > 0);
    const note = weighed ? noteOn(weighed) : '';
    say('cost-note', warnings.length > 0 ? warnings.map(({ text }) => text).join(' ') : note);
  }

  /** Shows the box to tick where one is needed; returns true if the order may be sent. */
  function showConsent(draft: Draft, warnings: readonly Warning[], isPossible: boolean): boolean {
    const isNeeded = isPossible && (!isPaper || warnings.length > 0);
    const now = [...Object.values(draft), ...warnings.map(({ kind }) => kind)].join(' ');
    // Given for one order with its warnings: a new warning, also by a move of the book, asks again.
    if (now !== subject) form.consent.checked = false;
    subject = now;
    const act = warnings.length > 0 ? 'Place it all the same.' : 'Place this order.';
    say('consent-text', isPaper ? act : `Real money. ${act}`);
    form.consentRow.classList.toggle('idle', !isNeeded);
    form.consent.disabled = !isNeeded;
    return !isNeeded || form.consent.checked;
  }

  function show(): void {
    const draft = readDraft(form);
    const mistakes = book ? mistakesIn(draft, book) : { price: '', size: '' };
    const wrong =
      mistakes.price || draft.price === '' ? 'price' : mistakes.size || draft.size === '' ? 'size' : undefined;
    const weighed = book && !wrong ? { draft, book, quote: quote(book, market(), draft), ...known } : undefined;
    const warnings = weighed ? warningsOf(weighed) : [];
    showHint(form.price, mistakes.price, book ? rulesOfPrice(book.tick_size) : '');
    showHint(form.size, mistakes.size, book ? rulesOfSize(book.min_order_size) : '');
    showStakes(weighed, warnings);
    const isPossible = weighed !== undefined && blocked === undefined;
    const isWanted = showConsent(draft, warnings, isPossible);
    // Not `disabled`: the focus would leave the button with each order.
    form.send.setAttribute('aria-disabled', String(!isPossible || !isWanted));
    const waiting = book ? `Correct the ${wrong}` : 'Waiting for the book…';
    form.send.textContent = blocked ?? (weighed ? labelOf(weighed, chosen?.outcome.name ?? 'shares') : waiting);
    form.send.className = `primary ${draft.side}`;
  }

  function useSize(size: string): void {
    form.size.value = size;
    show();
  }

  function usePrice(price: string): void {
    form.price.value = price;
    show();
  }

  function useLargest(): void {
    const draft = readDraft(form);
    const { holdings } = known;
    if (!book || !holdings || draft.price === '' || mistakesIn(draft, book).price) return;
    useSize(largestSize(draft, book, market(), holdings));
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

  function step(direction: 'down' | 'up'): void {
    if (book) usePrice(movePrice(readDraft(form).price, book.tick_size, direction));
  }

  form.form.addEventListener('input', ({ target }) => {
    // A price of the other side would match at once.
    const isSide = target instanceof HTMLInputElement && target.name === 'side';
    if (isSide && book) usePrice(ownBest(readDraft(form).side, book));
    else show();
  });
  find('price-down', HTMLButtonElement).addEventListener('click', () => step('down'));
  find('price-up', HTMLButtonElement).addEventListener('click', () => step('up'));
  form.price.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 'up' : 'down');
  });
  form.form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!chosen || form.send.getAttribute('aria-disabled') === 'true') return;
    onOrder(readOrder(form, chosen.outcome.token_id));
    // Given for this order only.
    form.consent.checked = false;
    show();
  });

  return {
    choose: (next) => {
      [chosen, book] = [next, undefined];
      known = { holdings: undefined, staleSince: undefined };
      [form.price.value, form.size.value] = ['', ''];
      show();
    },
    update: (next) => {
      const isFirst = !book;
      book = next;
      if (isFirst) {
        offerSizes(next);
        form.price.value = ownBest(readDraft(form).side, next);
        form.size.value = next.min_order_size;
      }
      show();
    },
    know: (facts) => {
      known = { ...known, ...facts };
      show();
    },
    usePrice: (price, side) => {
      const radio = form.form.querySelector<HTMLInputElement>(`[value="${side}"]`);
      if (radio) radio.checked = true;
      usePrice(price);
    },
    block: (reason) => {
      blocked = reason;
      show();
    },
  };
}

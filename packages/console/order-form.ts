import { type Book, type OrderRequest, quote } from '../client/client.ts';
import { labelOf, listCost, noteOn, type Weighed, warningsOf } from './advice.ts';
import { find, makeButton, makeFacts, part, say } from './dom.ts';
import * as drafts from './draft.ts';
import type { Chosen } from './markets.ts';

type Draft = drafts.Draft;

const FIELDS = ['price', 'size'] as const;
const input = (id: string) => find(id, HTMLInputElement);
/** Sizes to choose from, beside the smallest order of the book. */
const QUICK_SIZES = ['25', '100', '500'];

function readDraft(): Draft {
  const side = new FormData(find('order-form', HTMLFormElement)).get('side') === 'sell' ? 'sell' : 'buy';
  const [price = '', size = ''] = FIELDS.map((id) => drafts.normalise(input(id).value));
  return { side, price, size, post_only: input('post-only').checked };
}

function readEnd() {
  const seconds = Number(find('ends', HTMLSelectElement).value);
  return seconds === 0 ? {} : { expires_at: new Date(Date.now() + seconds * 1_000).toISOString() };
}

/** Shows the rule of a field under it; red where what is written breaks it. */
function showHint(id: 'price' | 'size', rule: string, isWrong: boolean): void {
  part(`${id}-hint`).classList.toggle('error', isWrong);
  part(id).setAttribute('aria-invalid', String(isWrong));
  say(`${id}-hint`, `${isWrong ? 'Must be ' : ''}${rule}`);
}

/** Creates the form of an order: one outcome, its book and what the user wrote. Orders with real money need a consent. */
export function createOrderForm(
  onOrder: (order: OrderRequest, bound: string | undefined) => void,
  isPaper: () => boolean,
) {
  const [price, size, amount, consent] = [input('price'), input('size'), input('amount'), input('consent')];
  const send = find('send', HTMLButtonElement);
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let known: Pick<Weighed, 'holdings' | 'staleSince'> = { holdings: undefined, staleSince: undefined };
  let blocked: string | undefined;
  /** The order and the warnings that the user has consented to, or may now. */
  let subject = '';
  let bound: string | undefined;

  /** Shows what speaks against an order, and the box to tick where one is needed; returns true if the order may be sent. */
  function showCaution(draft: Draft, weighed: Weighed | undefined): boolean {
    const warnings = weighed && blocked === undefined ? warningsOf(weighed) : [];
    part('stakes').classList.toggle('short', warnings[0]?.kind === 'short');
    part('caution').classList.toggle('warned', warnings.length > 0);
    say('cost-note', warnings.map(({ text }) => text).join(' ') || (weighed ? noteOn(weighed) : ''));
    const now = [...Object.values(draft), ...warnings.map(({ kind }) => kind)].join(' ');
    // The consent is for one order and its warnings; a new warning asks again.
    if (now !== subject) consent.checked = false;
    subject = now;
    const isPossible = weighed !== undefined && blocked === undefined;
    const isNeeded = isPossible && (!isPaper() || warnings.length > 0);
    const act = warnings.length > 0 ? 'Place it all the same.' : 'Place this order.';
    say('consent-text', isPaper() ? act : `Real money. ${act}`);
    part('consent-row').hidden = !isNeeded;
    return isPossible && (!isNeeded || consent.checked);
  }

  function show(): void {
    const draft = readDraft();
    const [rules, isRight] = book ? [drafts.rulesOf(book), drafts.checkDraft(draft, book)] : [];
    const wrong = FIELDS.find((name) => !isRight?.[name]);
    const weighed =
      book && !wrong
        ? { draft, book, quote: quote(book, { fees: chosen?.market.fees ?? null }, draft), ...known }
        : undefined;
    bound = weighed?.quote.bound ?? undefined;
    for (const id of FIELDS) showHint(id, rules?.[id] ?? '', draft[id] !== '' && isRight?.[id] === false);
    part('stakes').replaceChildren(makeFacts(listCost(draft.side, weighed)));
    if (document.activeElement !== amount) amount.value = drafts.amountOf(draft);
    // Not `disabled`: the focus would leave the button with each order.
    send.setAttribute('aria-disabled', String(!showCaution(draft, weighed)));
    const waiting = book ? `Correct the ${wrong}` : 'Waiting for the book…';
    say('send', blocked ?? (weighed ? labelOf(weighed, chosen?.outcome.name ?? 'shares') : waiting));
    send.className = `primary ${draft.side}`;
  }

  function use(...values: readonly [price: string, size?: string]): void {
    [price.value, size.value = size.value] = values;
    show();
  }

  function offerSizes(least: string): void {
    const larger = QUICK_SIZES.filter((each) => Number(each) > Number(least));
    const buttons = [least, ...larger].map((each) =>
      makeButton(each, () => use(price.value, each), { 'aria-label': `${each} shares` }),
    );
    part('quick-sizes').replaceChildren(...buttons);
  }

  function step(direction: 'down' | 'up'): void {
    if (book) use(drafts.movePrice(readDraft().price, book.tick_size, direction));
  }

  for (const direction of ['down', 'up'] as const) {
    part(`price-${direction}`).addEventListener('click', () => step(direction));
  }
  price.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 'up' : 'down');
  });
  part('order-form').addEventListener('input', ({ target }) => {
    if (target === amount) size.value = drafts.sizeFor(drafts.normalise(amount.value), readDraft().price);
    // The price of the one side means another order on the other side.
    const isSide = target instanceof HTMLInputElement && target.name === 'side';
    if (isSide && book) price.value = drafts.bestPrice(readDraft(), book);
    show();
  });
  part('order-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (!chosen || send.getAttribute('aria-disabled') === 'true') return;
    onOrder({ token_id: chosen.outcome.token_id, ...readDraft(), ...readEnd() }, bound);
    // The consent is for this order only.
    consent.checked = false;
    show();
  });

  return {
    /** Takes another outcome; its first book fills in the smallest order, at the best price at which it matches. */
    choose: (next: Chosen) => {
      [chosen, book, known] = [next, undefined, { ...known, holdings: undefined }];
      use('', '');
    },
    /** Takes the newest book of the chosen outcome. */
    update: (next: Book) => {
      const isFirst = !book;
      book = next;
      if (!isFirst) return show();
      offerSizes(next.min_order_size);
      use(drafts.bestPrice(readDraft(), next), next.min_order_size);
    },
    /** Takes what the wallet holds, or the time of the last good book where it is not up to date. */
    know: (facts: Pick<Partial<Weighed>, 'holdings' | 'staleSince'>) => {
      known = { ...known, ...facts };
      show();
    },
    /** Fills in a price, and the side if one is given. */
    usePrice: (next: string, side?: Draft['side']) => {
      const radio = document.querySelector<HTMLInputElement>(`[value="${side}"]`);
      if (radio) radio.checked = true;
      use(next);
    },
    /** Shows on the button why no order can be sent; `undefined` allows sending. */
    block: (reason: string | undefined) => {
      blocked = reason;
      show();
    },
  };
}

import { type Book, type OrderRequest, quote } from '../client/client.ts';
import { labelOf, listCost, noteOn, type Warning, type Weighed, warningsOf } from './advice.ts';
import { find, makeButton, makeFacts, part, say } from './dom.ts';
import * as drafts from './draft.ts';
import type { Chosen } from './markets.ts';

type Draft = drafts.Draft;

/** Form of an order: one outcome, its book and what the user wrote. */
export type OrderForm = ReturnType<typeof createOrderForm>;

interface FormEvents {
  readonly onOrder: (order: OrderRequest) => void;
  /** False for a service that may trade with real money: its orders need a consent. */
  readonly isPaper: () => boolean;
}

const input = (id: string) => find(id, HTMLInputElement);
const fields = () => ({
  form: find('order-form', HTMLFormElement),
  price: input('price'),
  size: input('size'),
  amount: input('amount'),
  postOnly: input('post-only'),
  ends: find('ends', HTMLSelectElement),
  consent: input('consent'),
  send: find('send', HTMLButtonElement),
});

type Fields = ReturnType<typeof fields>;

/** Sizes to choose from, beside the smallest order of the book. */
const QUICK_SIZES = ['25', '100', '500'];

function readDraft({ form, price, size, postOnly }: Fields): Draft {
  const side = new FormData(form).get('side') === 'sell' ? 'sell' : 'buy';
  const [priced, sized] = [price, size].map(({ value }) => drafts.normalise(value));
  return { side, price: priced ?? '', size: sized ?? '', post_only: postOnly.checked };
}

/** Formats the time that many seconds from now as the service wants it. */
function endAfter(seconds: string): string {
  return new Date(Date.now() + Number(seconds) * 1_000).toISOString().replace(/\.\d+/, '');
}

/** Shows under a field what is wrong with it, or else its rule. */
function showHint(field: HTMLInputElement, mistake: string, rule: string): void {
  part(`${field.id}-hint`).classList.toggle('error', mistake !== '');
  field.setAttribute('aria-invalid', String(mistake !== ''));
  say(`${field.id}-hint`, mistake || rule);
}

/** Shows what an order costs, and what speaks against it. */
function showStakes(side: Draft['side'], weighed: Weighed | undefined, warnings: readonly Warning[]): void {
  part('stakes').replaceChildren(makeFacts(listCost(side, weighed)));
  part('stakes').classList.toggle('short', warnings[0]?.kind === 'short');
  part('caution').classList.toggle('warned', warnings.length > 0);
  say('cost-note', warnings.map(({ text }) => text).join(' ') || (weighed ? noteOn(weighed) : ''));
}

/** Creates the form; it sends nothing by itself. */
export function createOrderForm({ onOrder, isPaper }: FormEvents) {
  const form = fields();
  let chosen: Chosen | undefined;
  let book: Book | undefined;
  let known: Pick<Weighed, 'holdings' | 'staleSince'> = { holdings: undefined, staleSince: undefined };
  let blocked: string | undefined;
  /** The order and the warnings that the user has consented to, or may now. */
  let subject = '';

  const market = () => ({ fees: chosen?.market.fees ?? null });

  /** Shows the box to tick where one is needed; returns true if the order may be sent. */
  function showConsent(draft: Draft, warnings: readonly Warning[], isPossible: boolean): boolean {
    const isNeeded = isPossible && (!isPaper() || warnings.length > 0);
    const now = [...Object.values(draft), ...warnings.map(({ kind }) => kind)].join(' ');
    // Given for one order with its warnings: a new warning, also by a move of the book, asks again.
    if (now !== subject) form.consent.checked = false;
    subject = now;
    const act = warnings.length > 0 ? 'Place it all the same.' : 'Place this order.';
    say('consent-text', isPaper() ? act : `Real money. ${act}`);
    part('consent-row').hidden = !isNeeded;
    return !isNeeded || form.consent.checked;
  }

  function show(): void {
    const draft = readDraft(form);
    const mistakes = book ? drafts.mistakesIn(draft, book) : { price: '', size: '' };
    const wrong = (['price', 'size'] as const).find((name) => mistakes[name] || draft[name] === '');
    const weighed = book && !wrong ? { draft, book, quote: quote(book, market(), draft), ...known } : undefined;
    const isPossible = weighed !== undefined && blocked === undefined;
    const warnings = isPossible ? warningsOf(weighed) : [];
    showHint(form.price, mistakes.price, book ? drafts.rulesOfPrice(book.tick_size) : '');
    showHint(form.size, mistakes.size, book ? drafts.rulesOfSize(book.min_order_size) : '');
    showStakes(draft.side, weighed, warnings);
    if (document.activeElement !== form.amount) form.amount.value = drafts.amountOf(draft);
    const isWanted = showConsent(draft, warnings, isPossible);
    // Not `disabled`: the focus would leave the button with each order.
    form.send.setAttribute('aria-disabled', String(!isPossible || !isWanted));
    const waiting = book ? `Correct the ${wrong}` : 'Waiting for the book…';
    form.send.textContent = blocked ?? (weighed ? labelOf(weighed, chosen?.outcome.name ?? 'shares') : waiting);
    form.send.className = `primary ${draft.side}`;
  }

  function use(price: string, size = form.size.value): void {
    [form.price.value, form.size.value] = [price, size];
    show();
  }

  function useLargest(): void {
    const [draft, { holdings }] = [readDraft(form), known];
    if (!book || !holdings || draft.price === '' || drafts.mistakesIn(draft, book).price) return;
    use(draft.price, drafts.largestSize(draft, book, market(), holdings));
  }

  function offerSizes({ min_order_size }: Book): void {
    const larger = QUICK_SIZES.filter((size) => Number(size) > Number(min_order_size));
    const buttons = [min_order_size, ...larger].map((size) =>
      makeButton(size, () => use(form.price.value, size), { 'aria-label': `${size} shares` }),
    );
    const largest = makeButton('Max', useLargest, { 'aria-label': 'Max: as many shares as the balance allows' });
    part('quick-sizes').replaceChildren(...buttons, ...(known.holdings ? [largest] : []));
  }

  function step(direction: 'down' | 'up'): void {
    if (book) use(drafts.movePrice(readDraft(form).price, book.tick_size, direction));
  }

  form.form.addEventListener('input', ({ target }) => {
    const { amount, price, size } = form;
    if (target === amount) size.value = drafts.sizeFor(drafts.normalise(amount.value), drafts.normalise(price.value));
    // The price of the one side means another order on the other side.
    const isSide = target instanceof HTMLInputElement && target.name === 'side';
    if (isSide && book) price.value = drafts.bestPrice(readDraft(form), book);
    show();
  });
  for (const direction of ['down', 'up'] as const) {
    part(`price-${direction}`).addEventListener('click', () => step(direction));
  }
  form.price.addEventListener('keydown', (event) => {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    step(event.key === 'ArrowUp' ? 'up' : 'down');
  });
  form.form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (!chosen || form.send.getAttribute('aria-disabled') === 'true') return;
    const end = form.ends.value === '' ? {} : { expires_at: endAfter(form.ends.value) };
    onOrder({ token_id: chosen.outcome.token_id, ...readDraft(form), ...end });
    // Given for this order only.
    form.consent.checked = false;
    show();
  });

  return {
    /** Takes another outcome; its first book fills in the smallest order, at the best price at which it matches. */
    choose: (next: Chosen) => {
      [chosen, book] = [next, undefined];
      known = { ...known, holdings: undefined };
      use('', '');
    },
    /** Takes the newest book of the chosen outcome. */
    update: (next: Book) => {
      const isFirst = !book;
      book = next;
      if (isFirst) offerSizes(next);
      if (isFirst) use(drafts.bestPrice(readDraft(form), next), next.min_order_size);
      else show();
    },
    /** Takes what the wallet holds, or the time of the last good book where it is not up to date. */
    know: (facts: Pick<Partial<Weighed>, 'holdings' | 'staleSince'>) => {
      const isNew = facts.holdings && !known.holdings;
      known = { ...known, ...facts };
      if (isNew && book) offerSizes(book);
      show();
    },
    /** Fills in a price, and the side if one is given. */
    usePrice: (price: string, side?: Draft['side']) => {
      const radio = form.form.querySelector<HTMLInputElement>(`[value="${side}"]`);
      if (radio) radio.checked = true;
      use(price);
    },
    /** Shows on the button why no order can be sent; `undefined` allows sending. */
    block: (reason: string | undefined) => {
      blocked = reason;
      show();
    },
  };
}

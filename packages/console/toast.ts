import { find, make, makeButton, makeFacts } from './dom.ts';

/** What became of the last order, as the page shows it above everything else. */
export interface Outcome {
  readonly kind: 'pending' | 'placed' | 'refused' | 'unsettled';
  readonly content: readonly HTMLElement[];
  /** Unfolds below the content: facts, and the whole answer as JSON. */
  readonly details?: { readonly facts: Readonly<Record<string, string>>; readonly json?: object };
  readonly buttons?: readonly HTMLButtonElement[];
}

/** The part of the page that tells the outcome of an order. It moves nothing. */
export interface Toast {
  show(outcome: Outcome): void;
  /** Adds a sentence to the outcome that is shown. */
  append(sentence: string): void;
  dismiss(): void;
  /** Changes with each outcome, and when one is dismissed. */
  shown(): Outcome | undefined;
}

/** A placed order leaves the screen by itself. All that wants something of the user stays. */
const PLACED_MS = 20_000;

function fold({ facts, json }: NonNullable<Outcome['details']>): HTMLElement {
  const text = json === undefined ? [] : [make('pre', {}, JSON.stringify(json, null, 2))];
  return make('details', {}, make('summary', {}, 'Details'), makeFacts(facts), text);
}

/** Creates the toast. An order that is not settled cannot be dismissed: only its own buttons end it. */
export function createToast(): Toast {
  const toast = find('toast', HTMLElement);
  const result = find('result', HTMLElement);
  const actions = find('result-actions', HTMLElement);
  let current: Outcome | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  function dismiss(): void {
    const hadFocus = toast.contains(document.activeElement);
    [current, result.className] = [undefined, ''];
    result.replaceChildren();
    actions.replaceChildren();
    if (hadFocus) find('send', HTMLButtonElement).focus();
  }

  function leaveSoon(): void {
    leaving = setTimeout(() => {
      if (toast.matches(':hover, :focus-within, :has([open])')) leaveSoon();
      else dismiss();
    }, PLACED_MS);
  }

  toast.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && (current?.kind === 'placed' || current?.kind === 'refused')) dismiss();
  });
  return {
    show: (outcome) => {
      const { kind, content, details, buttons = [] } = outcome;
      clearTimeout(leaving);
      [current, result.className] = [outcome, kind];
      result.replaceChildren(...content, ...(details ? [fold(details)] : []));
      const isOver = kind === 'placed' || kind === 'refused';
      actions.replaceChildren(...buttons, ...(isOver ? [makeButton('Dismiss', dismiss)] : []));
      if (kind === 'placed') leaveSoon();
    },
    dismiss,
    append: (sentence) => result.append(make('p', { class: 'proof' }, sentence)),
    shown: () => current,
  };
}

import { find, make, makeButton, makeFacts } from './dom.ts';

/** What became of the last order, as the page shows it above everything else. */
export interface Outcome {
  readonly kind: 'pending' | 'placed' | 'cancelled' | 'refused' | 'unsettled';
  readonly content: readonly HTMLElement[];
  /** Unfolds below the content: facts, and the whole answer as JSON. */
  readonly details?: { readonly facts: Readonly<Record<string, string>>; readonly json?: object };
  readonly buttons?: readonly HTMLButtonElement[];
}

/** The part of the page that shows the outcome of an order. It moves nothing. */
export interface Toast {
  show(outcome: Outcome): void;
  /** Shows sentences; an outcome that the user still has to act on stays above them. */
  report(kind: 'cancelled' | 'refused', sentences: readonly string[]): void;
  /** Adds a sentence to the outcome that is shown. */
  append(sentence: string): void;
  dismiss(): void;
  /** Changes with each outcome, and when one is dismissed. */
  shown(): Outcome | undefined;
}

/** A placed or cancelled order leaves the screen by itself; a refusal stays. */
const SHOWN_MS = 20_000;

function fold({ facts, json }: NonNullable<Outcome['details']>): HTMLElement {
  const text = json === undefined ? [] : [make('pre', {}, JSON.stringify(json, null, 2))];
  return make('details', {}, make('summary', {}, 'Details'), makeFacts(facts), text);
}

/** Creates the toast. Only its own buttons end an order that is not settled: nothing dismisses it. */
export function createToast(): Toast {
  const toast = find('toast', HTMLElement);
  const result = find('result', HTMLElement);
  const actions = find('result-actions', HTMLElement);
  let current: Outcome | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;

  const isOver = () => current !== undefined && current.kind !== 'pending' && current.kind !== 'unsettled';

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
    }, SHOWN_MS);
  }

  function show(outcome: Outcome): void {
    const { kind, content, details, buttons = [] } = outcome;
    clearTimeout(leaving);
    [current, result.className] = [outcome, kind];
    result.replaceChildren(...content, ...(details ? [fold(details)] : []));
    actions.replaceChildren(...buttons, ...(isOver() ? [makeButton('Dismiss', dismiss)] : []));
    if (kind === 'placed' || kind === 'cancelled') leaveSoon();
  }

  function append(sentence: string): void {
    result.append(make('p', { class: 'proof' }, sentence));
  }

  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && isOver()) dismiss();
  });
  return {
    show,
    report: (kind, sentences) => {
      if (current && !isOver()) sentences.forEach(append);
      else show({ kind, content: sentences.map((sentence) => make('p', { class: 'proof' }, sentence)) });
    },
    append,
    dismiss,
    shown: () => current,
  };
}

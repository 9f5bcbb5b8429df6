import { find, make, makeButton, makeFacts } from './dom.ts';

/** What became of the last order, as the ticket shows it under its button. */
export interface Outcome {
  readonly kind: 'pending' | 'placed' | 'refused' | 'unsettled';
  readonly content: readonly HTMLElement[];
  readonly details?: Details;
  readonly buttons?: readonly HTMLButtonElement[];
}

/** Unfolds below an outcome: facts, the request as a command, and the whole answer as JSON. */
export interface Details {
  readonly facts: Readonly<Record<string, string>>;
  readonly curl: string;
  readonly json?: object;
}

/** The part of the ticket that shows the outcome of an order. It stays until the next one. */
export interface Answer {
  show(outcome: Outcome): void;
  /** Adds a sentence to the outcome that is shown. */
  append(sentence: string): void;
  clear(): void;
  /** Changes with each outcome. */
  shown(): Outcome | undefined;
}

/** Creates the folded details of an order. */
export function makeDetails({ facts, curl, json }: Details): HTMLElement {
  // Pages on http have no clipboard, except those of this machine.
  const copy = isSecureContext ? [makeButton('Copy the curl', () => void navigator.clipboard.writeText(curl))] : [];
  const text = json === undefined ? [] : [make('pre', {}, JSON.stringify(json, null, 2))];
  return make('details', {}, make('summary', {}, 'Details'), makeFacts(facts), make('pre', {}, curl), copy, text);
}

export function createAnswer(): Answer {
  const result = find('result', HTMLElement);
  const actions = find('result-actions', HTMLElement);
  const details = find('result-details', HTMLElement);
  let current: Outcome | undefined;

  function replace(outcome: Outcome | undefined): void {
    const hadFocus = actions.contains(document.activeElement);
    current = outcome;
    find('answer', HTMLElement).className = outcome?.kind ?? '';
    result.replaceChildren(...(outcome?.content ?? []));
    details.replaceChildren(...(outcome?.details ? [makeDetails(outcome.details)] : []));
    actions.replaceChildren(...(outcome?.buttons ?? []));
    if (hadFocus) find('send', HTMLButtonElement).focus();
  }

  return {
    show: replace,
    append: (sentence) => result.append(make('p', { class: 'proof' }, sentence)),
    clear: () => replace(undefined),
    shown: () => current,
  };
}

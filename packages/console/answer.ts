import { find, make, makeButton, makeFacts, part } from './dom.ts';

/** Facts, the request as a command, and the whole answer as JSON. */
export interface Details {
  readonly facts: Readonly<Record<string, string>>;
  readonly curl?: string | undefined;
  readonly json?: object | undefined;
}

/** What became of the last order, as the ticket shows it under its button. */
export interface Outcome {
  readonly kind: 'pending' | 'placed' | 'refused' | 'unsettled';
  readonly content: readonly HTMLElement[];
  readonly details?: Details;
  readonly buttons?: readonly HTMLButtonElement[];
}

/** Creates the details of an order. */
export function makeDetails({ facts, curl, json }: Details): readonly HTMLElement[] {
  const pre = (text: string | undefined) => (text === undefined ? [] : [make('pre', {}, text)]);
  // Pages on http have no clipboard, except those of this machine.
  const copies = curl !== undefined && isSecureContext;
  const copy = copies ? [makeButton('Copy the curl', () => void navigator.clipboard.writeText(curl))] : [];
  return [makeFacts(facts), ...pre(curl), ...copy, ...pre(json && JSON.stringify(json, null, 2))];
}

/** Creates the part of the ticket that shows an outcome until the next one. */
export function createAnswer() {
  let current: Outcome | undefined;

  function show(outcome: Outcome | undefined): void {
    const hadFocus = part('result-actions').contains(document.activeElement);
    current = outcome;
    part('answer').className = outcome?.kind ?? '';
    part('result').replaceChildren(...(outcome?.content ?? []));
    part('result-actions').replaceChildren(...(outcome?.buttons ?? []));
    const { details } = outcome ?? {};
    const folded = details && make('details', {}, make('summary', {}, 'Details'), makeDetails(details));
    part('result-details').replaceChildren(...(folded ? [folded] : []));
    if (hadFocus) find('send', HTMLButtonElement).focus();
  }

  return {
    show,
    clear: () => show(undefined),
    /** Returns what is shown: another object for each outcome. */
    shown: () => current,
    /** Adds a sentence to the outcome. */
    append: (sentence: string) => part('result').append(make('p', { class: 'proof' }, sentence)),
    /** Shows the same outcome as it is by now. */
    renew: (content: Outcome['content']) => {
      const isSame = content.every(
        ({ textContent }, index) => textContent === part('result').children[index]?.textContent,
      );
      if (!isSame) part('result').replaceChildren(...content);
    },
  };
}

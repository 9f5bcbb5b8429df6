import { find, make, part } from './dom.ts';

/** What became of the last order, as the ticket shows it under its button. */
export interface Outcome {
  readonly kind: 'pending' | 'placed' | 'refused' | 'unsettled';
  readonly content: readonly HTMLElement[];
  readonly details?: HTMLElement;
  readonly buttons?: readonly HTMLButtonElement[];
}

/** Creates texts that unfold below a summary. */
export function makeDetails(summary: string, ...texts: readonly (string | undefined)[]): HTMLElement {
  const parts = texts.flatMap((text) => (text === undefined ? [] : [make('pre', {}, text)]));
  return make('details', {}, make('summary', {}, summary), parts);
}

/** Creates the part of the ticket that shows an outcome until the next one. */
export function createAnswer() {
  let current: Outcome | undefined;

  function show(outcome?: Outcome): void {
    const hadFocus = part('result-actions').contains(document.activeElement);
    current = outcome;
    part('answer').className = outcome?.kind ?? '';
    part('result').replaceChildren(...(outcome?.content ?? []));
    part('result-actions').replaceChildren(...(outcome?.buttons ?? []));
    part('result-details').replaceChildren(outcome?.details ?? '');
    // The sheet of a phone may end above it.
    if (outcome?.buttons?.length) part('result-actions').scrollIntoView({ block: 'nearest' });
    if (hadFocus) find('send', HTMLButtonElement).focus();
  }

  return {
    show,
    /** Returns the shown outcome; each one is a new object. */
    shown: () => current,
    /** Updates the shown outcome. */
    renew: (content: Outcome['content']) => {
      const { children } = part('result');
      const isNew = content.some((each, index) => !each.isEqualNode(children[index] ?? null));
      if (isNew) part('result').replaceChildren(...content);
    },
  };
}

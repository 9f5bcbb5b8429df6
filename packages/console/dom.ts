/** Pause until a hidden page looks whether it is visible again. */
const HIDDEN_MS = 1_000;

/** Finds an element by its id. Throws if it is missing or of another kind: page and script come from one build. */
export function find<Kind extends Element>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id);
  if (found instanceof kind) return found;
  throw new Error(`The page has no ${kind.name} ${id}.`);
}

/** Finds an element whose content the page writes. */
export function part(id: string): HTMLElement {
  return find(id, HTMLElement);
}

/** Leaves out of a text, such as a name of the venue, what would turn the text around it or hide a part of it. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu, (sign) =>
    sign === '\n' ? sign : '',
  );
}

/** Writes a text; a screen reader does not announce an equal text again. */
export function say(id: string, text: string): void {
  if (part(id).textContent !== plain(text)) part(id).textContent = plain(text);
}

/** Creates an element; strings become plain text, never markup. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string | readonly (Node | string)[])[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, plain(value));
  element.append(...children.flat().map((child) => (typeof child === 'string' ? plain(child) : child)));
  return element;
}

/** Creates a button that does not send its form. */
export function makeButton(label: string, onClick: () => void, attributes = {}): HTMLButtonElement {
  const button = make('button', { type: 'button', ...attributes }, label);
  button.addEventListener('click', onClick);
  return button;
}

/** Creates a list of terms with their values. */
export function makeFacts(facts: Readonly<Record<string, string>>): HTMLDListElement {
  const rows = Object.entries(facts).map(([term, value]) =>
    make('div', { 'data-term': term }, make('dt', {}, term), make('dd', {}, value)),
  );
  return make('dl', {}, rows);
}

/** Replaces the content of an element; the button that had the focus keeps it, by its `data-key`. */
export function replaceKeepingFocus(element: HTMLElement, children: readonly HTMLElement[]): void {
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset['key'] : undefined;
  element.replaceChildren(...children);
  if (focused === undefined) return;
  [...element.querySelectorAll('button')].find(({ dataset }) => dataset['key'] === focused)?.focus();
}

/** Replaces the rows of a list; one without rows says so. */
export function showRows(id: string, rows: readonly HTMLElement[], none: string): void {
  const empty = make('li', { class: 'line' }, make('p', { class: 'hint' }, none));
  replaceKeepingFocus(part(id), rows.length > 0 ? rows : [empty]);
}

/** Asks before something that cannot be undone, and shows what it is about. Escape and "No" answer false. */
export function ask(question: string, yes: string, about: readonly HTMLElement[] = []): Promise<boolean> {
  const dialog = find('question', HTMLDialogElement);
  say('question-text', question);
  say('question-yes', yes);
  part('question-about').replaceChildren(...about);
  dialog.returnValue = 'no';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}

/** Runs a task now and after the pause in milliseconds that each run returns, while the page is visible. */
export async function repeatWhileVisible(task: () => Promise<number | undefined>): Promise<void> {
  const pauseMs = document.hidden ? HIDDEN_MS : await task();
  if (pauseMs !== undefined) setTimeout(() => void repeatWhileVisible(task), pauseMs);
}

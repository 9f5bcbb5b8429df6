/** The symbol of node:util's `inspect.custom`, without node:util: each module that is not loaded shortens a cold start. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** Matches what looks like a wallet key. It is refused where a name is expected: logs and messages would show it. */
export const KEY_LIKE = /^(?:0x)?[0-9a-f]{64}$/i;

const MASK = '[secret]';

/** A value that cannot be printed, serialised or inspected by accident: only `reveal()` returns it. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return MASK;
  }

  toJSON(): string {
    return MASK;
  }

  [INSPECT](): string {
    return MASK;
  }
}

/**
 * A kind of wallet by which clients sign. Another kind is another file in this folder, and a line in `kinds.ts`. Only
 * kinds whose signatures can be checked without asking their chain.
 */
export interface WalletKind {
  /** Gives the one address of the client, however it is written; `undefined` for a text that is no address of this kind. */
  canonicalAddress(text: string): string | undefined;
  /** Checks a signature over the bytes of a text. `address` is canonical. Never throws. */
  check(signature: string, signed: { readonly text: string; readonly address: string }): Signed;
}

/** `malformed`: not in the one form that a signature of this kind has. `foreign`: of another address or text. */
type Signed = 'valid' | 'malformed' | 'foreign';

/** An answer of the service under test. */
export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly headers: Headers;
  /** The JSON value, or the text if it is not JSON; `undefined` without a body. */
  readonly body: unknown;
}

/** An answer of the service under test. */
export interface Answer {
  readonly method: string;
  readonly status: number;
  readonly headers: Headers;
  /** The JSON value; the text where it is none; `undefined` where there is none. */
  readonly body: unknown;
}

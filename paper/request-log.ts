/** A request that was received; `at` is the arrival in epoch milliseconds by the system's clock. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly at: number;
  /** The fault that was played, null for none. */
  readonly fault: string | null;
}

/** Enough for a chaos run; older requests are dropped, so that a venue left running does not grow. */
const CAPACITY = 10_000;

/** The last requests to the venue's own paths; those to /paper are not logged. */
export class RequestLog {
  #requests: ReceivedRequest[] = [];

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > CAPACITY) this.#requests.shift();
  }

  list(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  clear(): void {
    this.#requests = [];
  }
}

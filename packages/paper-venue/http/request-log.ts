/** Received request; `at` is its arrival in epoch milliseconds by the system's clock. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly at: number;
  /** Name of the fault that it met; null for none. */
  readonly fault: string | null;
}

/** Number that is enough for a chaos run; older requests are dropped, so that a venue left running does not grow. */
const MAX_REQUESTS = 10_000;

/** Log of the last requests to the venue's own paths; those to /paper are not logged. */
export class RequestLog {
  #requests: ReceivedRequest[] = [];

  add(request: ReceivedRequest): void {
    this.#requests.push(request);
    if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
  }

  list(): readonly ReceivedRequest[] {
    return this.#requests;
  }

  clear(): void {
    this.#requests = [];
  }
}

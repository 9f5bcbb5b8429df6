/** Requests that are held up on their way to the venue; those that are still on it when it closes never arrive. */
export class LateRequests {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Has a request arrive later. Its client no longer waits, so an answer or an error is dropped. */
  add(delayMs: number, arrive: () => unknown): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      try {
        arrive();
      } catch {}
    }, delayMs);
    this.#timers.add(timer);
  }

  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }
}

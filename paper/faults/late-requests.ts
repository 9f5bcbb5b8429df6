/** Requests that are held up on their way to the venue; those that are still on it when it closes never arrive. */
export class LateRequests {
  readonly #timers = new Set<NodeJS.Timeout>();

  /** Lets a request arrive after a time; nobody waits for its answer any more, so an error has no reader either. */
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

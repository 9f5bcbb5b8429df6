/** Why there is no readable answer. `sent` is false only where not a byte of the request can have arrived. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  readonly kind: 'not_connected' | 'timeout' | 'reset' | 'too_large';
  readonly sent: boolean;

  constructor(kind: TransportError['kind'], sent: boolean, cause?: unknown) {
    super(`the venue's answer did not come: ${kind}`, { cause });
    this.kind = kind;
    this.sent = sent;
  }
}

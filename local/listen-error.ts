/** The address cannot be listened on. The message is a sentence for the operator. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is already in use: stop the other program or set SERVICE_PORT',
  EACCES: 'may not be used by this user: set SERVICE_PORT to a port above 1023',
  EADDRNOTAVAIL: 'is not an address of this machine: set SERVICE_HOST',
  ENOTFOUND: 'is not a host name that can be resolved: set SERVICE_HOST',
};

/** Explains why an address (host and port) cannot be listened on. */
export function explainListenFailure(address: string, cause: NodeJS.ErrnoException): ListenError {
  const reason = REASONS[cause.code ?? ''] ?? `cannot be listened on (${cause.code})`;
  return new ListenError(`${address} ${reason}.`, { cause });
}

import { areCredentialsRefused } from '../../shared/errors.ts';
import { explain } from '../explain.ts';

/** The result of a check: one sentence on the finding and, if needed, one on the fix. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  readonly fix: string | null;
  /** Why a host gave no usable answer: one outage has one text, for all hosts and calls. */
  readonly outage?: string | undefined;
}

export const ok = (message: string): Finding => ({ status: 'ok', message, fix: null });
export const warn = (message: string, fix: string): Finding => ({ status: 'warn', message, fix });
export const fail = (message: string, fix: string): Finding => ({ status: 'fail', message, fix });
export const skip = (message: string): Finding => ({ status: 'skip', message, fix: null });

/** Makes a sentence of a log line, which begins in lower case and has no full stop. */
export const sentenceOf = (line: string): string =>
  `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.$/, '')}.`;

export const PERMISSIONS = 'See "Permissions" in docs/deployment.md.';
export const RESTORING = 'See "Restoring the table" in docs/operations.md.';
const NEW_CREDENTIALS = 'Try again in two minutes; then see "Rotating keys" in docs/operations.md.';

/** Returns how to judge an error of a check that asks a host. `bad` is the finding if the host gives no usable answer. */
export function judge(host: string, bad = fail): (error: unknown) => Finding {
  return (error) => {
    const [what, fix] = explain(error, host) ?? [];
    if (what && fix) {
      const advice = areCredentialsRefused(error) ? NEW_CREDENTIALS : fix;
      return { ...bad(sentenceOf(what), advice), outage: explain(error, '')?.[0] };
    }
    // Its message might quote a secret.
    const kind = error instanceof Error ? error.name : 'unknown';
    return fail(`The check itself failed (${kind}).`, 'This is a fault of this program: please report it.');
  };
}

/** What AWS says where the caller lacks a right; its services name it differently. */
const DENIED = /^(?:AccessDenied|AuthorizationError)/;

/** Finds the error of a client of AWS in an error and its causes. */
export function awsErrorOf(error: unknown): { readonly name: string; readonly isDenied: boolean } | undefined {
  if (!Error.isError(error)) return undefined;
  const { name, cause } = error;
  return '$metadata' in error ? { name, isDenied: DENIED.test(name) } : awsErrorOf(cause);
}

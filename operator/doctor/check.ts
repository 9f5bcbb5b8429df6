import { ConfigError } from '../../shared/settings/formats.ts';
import { DeskError } from '../account/access.ts';
import { explain } from '../explain.ts';

/** The result of a check: one sentence on the finding and, if needed, one on the fix. */
export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  readonly message: string;
  readonly fix: string | null;
}

export const ok = (message: string): Finding => ({ status: 'ok', message, fix: null });
export const warn = (message: string, fix: string): Finding => ({ status: 'warn', message, fix });
export const fail = (message: string, fix: string): Finding => ({ status: 'fail', message, fix });
export const skip = (message: string): Finding => ({ status: 'skip', message, fix: null });

const SEE_PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE to the account that your profile on polymarket.com shows. If they match, the key is the wrong one: an exported key may be one of several shares, which cannot sign alone, and a session key cannot place orders here. An address with delegated code (EIP-7702) is no deposit wallet: the venue refuses its signatures.';

/** Returns the fix for an error of the start that does not name one. */
export function fixOf(said: string): string {
  if (/FUNDER|SIGNATURE_TYPE|signature type/i.test(said)) return SEE_PROFILE;
  if (/KMS|another wallet/.test(said))
    return 'See docs/going-live.md ("A key in AWS KMS") and docs/operations.md ("Rotating keys").';
  if (/^The records/.test(said)) return 'See "Restoring the table" in docs/operations.md.';
  return 'npm start -- --help lists the settings.';
}

/** Makes a sentence of a line of a log, which begins small and has no full stop. */
export const sentenceOf = (line: string): string =>
  `${line.charAt(0).toUpperCase()}${line.slice(1).replace(/\.$/, '')}.`;

/** Makes a check that asks a host, which a sentence can name. `bad` is the finding where the host gives no usable answer. */
export async function makeCheck(host: string, make: () => Promise<Finding>, bad = fail): Promise<Finding> {
  try {
    return await make();
  } catch (error) {
    if (error instanceof ConfigError || error instanceof DeskError)
      return fail(error.message.replaceAll('\n', ' '), fixOf(error.message));
    const [what, fix] = explain(error, host) ?? [];
    if (what && fix) return bad(sentenceOf(what), fix);
    // Its message might quote a secret.
    const kind = error instanceof Error ? error.name : 'unknown';
    return fail(`The check itself failed (${kind}).`, 'This is a fault of this program: please report it.');
  }
}

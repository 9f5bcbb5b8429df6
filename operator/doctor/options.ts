import { KEY_LIKE } from '../../shared/settings/formats.ts';
import { flag, option, UsageError, type Values } from '../command-line.ts';

/** The choices of a run. */
export const OPTIONS = {
  json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
  probe: flag('also send one empty order without credentials: shows if the venue takes orders from here'),
  refresh: flag('also have the venue read balance and allowances from the chain again'),
  secret: option('NAME', 'read the key from AWS Secrets Manager, all else from the environment, as a deployment does'),
  'print-credentials': option(
    'FILE',
    'write the API credentials to a new file of your own, in the members of the secret',
  ),
  settings: option('FILE', "read FILE instead of .env in the project's folder"),
} as const;

/** The values of the choices. */
export type DoctorOptions = Values<typeof OPTIONS>;

/** Returns the options; throws `UsageError` where they do not go together. */
export function checkOptions(values: DoctorOptions): DoctorOptions {
  for (const name of ['secret', 'settings', 'print-credentials'] as const) {
    if (KEY_LIKE.test(values[name] ?? '')) throw new UsageError(`Option '--${name}' takes a name, not a key.`);
  }
  if (values.secret !== undefined && values.settings !== undefined) {
    throw new UsageError(
      "Options '--secret' and '--settings' exclude each other: a deployment has no file of settings.",
    );
  }
  return values;
}

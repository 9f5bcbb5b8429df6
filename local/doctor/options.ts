import { flag, UsageError, type Values } from '../../shared/command-line.ts';
import { ConfigError, KEY_LIKE, parseText, UPSTREAM } from '../../shared/settings/formats.ts';

/** The choices of a run. */
export const OPTIONS = {
  json: flag('print {"ok", "checks": [{"id", "status", "message", "fix"}]}'),
  probe: flag('also send one empty order without credentials: shows if the venue takes orders from here'),
  refresh: flag('also have the venue read balance and allowances from the chain again'),
  secret: {
    type: 'string',
    value: 'NAME',
    meaning: 'read the key from AWS Secrets Manager, all else from the environment, as a deployment does',
  },
  'print-credentials': {
    type: 'string',
    value: 'FILE',
    meaning: 'write the API credentials to a new file of your own, in the members of the secret',
  },
  settings: { type: 'string', value: 'FILE', meaning: "read FILE instead of .env in the project's folder" },
  'site-url': {
    type: 'string',
    value: 'URL',
    default: 'https://polymarket.com',
    meaning: 'base URL of the website',
  },
  'data-url': {
    type: 'string',
    value: 'URL',
    default: 'https://data-api.polymarket.com',
    meaning: 'base URL of the Data API',
  },
} as const;

/** The values of the choices. */
export type DoctorOptions = Values<typeof OPTIONS>;

function baseUrl(option: string, text: string): string {
  try {
    return parseText(text, `--${option}`, UPSTREAM);
  } catch (error) {
    if (error instanceof ConfigError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Returns the options with their URLs in one form; throws `UsageError` where they do not go together. */
export function optionsOf(values: DoctorOptions): DoctorOptions {
  const { secret, settings, 'print-credentials': credentialsFile } = values;
  for (const [name, value] of Object.entries({ secret, settings, 'print-credentials': credentialsFile })) {
    if (value !== undefined && KEY_LIKE.test(value))
      throw new UsageError(`Option '--${name}' takes a name, not a key.`);
  }
  if (secret !== undefined && settings !== undefined) {
    throw new UsageError(
      "Options '--secret' and '--settings' exclude each other: a deployment has no file of settings.",
    );
  }
  const siteUrl = baseUrl('site-url', values['site-url']);
  const dataUrl = baseUrl('data-url', values['data-url']);
  return { ...values, 'site-url': siteUrl, 'data-url': dataUrl };
}

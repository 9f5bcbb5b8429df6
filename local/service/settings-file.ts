import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { errorCode } from '../../shared/node-error.ts';
import { KEY_LIKE } from '../../shared/secret.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { PROJECT } from './folders.ts';

/**
 * Node reads `export` and white space other than blanks as part of the name, which would then be no setting, and drops what
 * follows a value in quotes.
 */
const LINE = /^(?:#.*|(?:export +)?\w+ *=(?!\s*(["'`])(?:(?!\1).)*\1\s*[^\s#]).*)?$/;

function readText(path: string, optional: boolean): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = errorCode(cause);
    if (optional && code === 'ENOENT') return '';
    throw new ConfigError(`${path} cannot be read (${code}).`, { cause });
  }
}

/**
 * Reads a file of variables as Node does, but line by line: a quote that is left open would swallow the next setting,
 * and a malformed line would be ignored. Throws `ConfigError`. An optional file that is missing is empty.
 */
export function readSettingsFile(path: string, { optional }: { readonly optional: boolean }): Environment {
  if (KEY_LIKE.test(path)) throw new ConfigError('A file of settings must have a name, not a key.');
  const lines = readText(path, optional)
    .split('\n')
    .map((line) => line.trim());
  const wrong = lines.findIndex((line) => !LINE.test(line));
  // The line may hold a secret.
  if (wrong >= 0) throw new ConfigError(`Line ${wrong + 1} of ${path} must be NAME=value, a comment or empty.`);
  return Object.fromEntries(lines.flatMap((line) => Object.entries(parseEnv(line))));
}

const PROJECT_SETTINGS = join(PROJECT, '.env');

/** Returns the variables of the file and the environment. As in Node, the environment wins, even with an empty value. */
export function withSettingsFile(file: string | undefined, env: Environment): Environment {
  return { ...readSettingsFile(file ?? PROJECT_SETTINGS, { optional: file === undefined }), ...env };
}

import { lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { errorCode } from '../../shared/node-error.ts';
import { ConfigError, KEY_LIKE } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';

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

/** The folder of the program, wherever it was installed. */
export const SOURCES = fileURLToPath(new URL('../..', import.meta.url));

const IS_INSTALLED = /[\\/]node_modules[\\/]/.test(SOURCES);

/**
 * Relative paths count from here, not from where the process happens to be started. Not for an installed package, whose
 * folder npm replaces with all that is in it: there it is the working directory.
 */
const PROJECT = IS_INSTALLED ? process.cwd() : SOURCES;

/**
 * Returns the absolute path of a store. Throws `ConfigError` for a relative one in an installed package: started in
 * another directory, it would open another store, which knows no key.
 */
export function storeFileOf(path: string): string {
  if (IS_INSTALLED && !isAbsolute(path)) {
    throw new ConfigError('SERVICE_STORE must be an absolute path where orders are enabled in an installed package.');
  }
  return resolve(PROJECT, path);
}

/** The folder of what the service keeps. */
export const DATA = join(PROJECT, '.data');

/** The file of settings that is read unless another one is asked for. */
export const PROJECT_SETTINGS = join(PROJECT, '.env');

/** Returns the variables of the file and of the environment, which wins, as in Node, with empty values too. */
export function withSettingsFile(file: string | undefined, env: Environment): Environment {
  return { ...readSettingsFile(file ?? PROJECT_SETTINGS, { optional: file === undefined }), ...env };
}

/** Names the file in which a session on paper keeps its settings, by the port of its service. */
function sessionFile(port: number): string {
  return join(tmpdir(), `order-book-adapter-paper-${port}.env`);
}

/** Keeps the settings of a session on paper for the desk until it ends: its key and its store are in no other place. */
export function keepPaperSession(port: number, settings: Environment): Disposable {
  const path = sessionFile(port);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  // Not over a file that is there: somebody else's, in a folder that all users share, could be read by him.
  rmSync(path, { force: true });
  writeFileSync(path, lines.join(''), { flag: 'wx', mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Reads the settings of the session on paper whose service has a port. Throws `ConfigError`. */
export function readPaperSession(port: number): Environment {
  const path = sessionFile(port);
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) {
    throw new ConfigError(
      `No session on paper runs on port ${port}: start npm run paper, or set SERVICE_PORT to its port.`,
    );
  }
  // The venue in it would be asked with whatever key it names.
  if (owner !== (process.getuid?.() ?? owner)) throw new ConfigError(`${path} belongs to another user.`);
  return readSettingsFile(path, { optional: false });
}

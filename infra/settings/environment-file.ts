import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ConfigError, matching, parseText } from '../../shared/settings/formats.ts';
import { type Context, readText, refuseUnknown } from './context.ts';
import { NAMES } from './formats.ts';
import { DEFAULT_STACK_NAME } from './settings.ts';

const ENV = matching('the name of a file in deploy/, without .json', /^\w[\w-]*$/);

function listEnvironments(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.map((name) => basename(name, '.json'));
}

/** Reads a file, or throws `ConfigError`. No sentence repeats a part of it, where somebody may have written a key. */
function readFile(folder: string, env: string): Context {
  const file = `deploy/${env}.json`;
  let text: string;
  try {
    text = readFileSync(join(folder, `${env}.json`), 'utf8');
  } catch {
    throw new ConfigError(`${file} cannot be read; there are ${listEnvironments(folder).join(', ')}.`);
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    // Refused below, as JSON that is no object is.
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`${file} must be JSON: one object of settings and their values.`);
  }
  // JSON takes the last of two, and a reader the first: whose cap would it be?
  const names = [...text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(([, written = '', colon]) =>
    colon === undefined ? [] : String(JSON.parse(written)),
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`${file} has ${twice} twice; leave one.`);
  return { ...parsed };
}

/** Returns the stack that a file names; `undefined` where the file is malformed. */
function nameIn(folder: string, env: string): unknown {
  try {
    return readFile(folder, env)['stackName'];
  } catch {
    return undefined;
  }
}

/** Refuses a deploy without `env` of a stack that has a file: it would lose what the file says. */
function refuseForgotten(context: Context, folder: string): void {
  const stackName = readText(context, 'stackName') ?? DEFAULT_STACK_NAME;
  const env = listEnvironments(folder).find((name) => name !== 'example' && nameIn(folder, name) === stackName);
  if (env === undefined) return;
  throw new ConfigError(`deploy/${env}.json has the settings of the stack ${stackName}: deploy it with -c env=${env}.`);
}

/**
 * Adds the settings of `deploy/NAME.json` where `-c env=NAME` asks for them; throws `ConfigError`. What is said in both
 * places must be the same: a setting of one deploy alone would be gone with the next.
 */
export function withEnvironmentFile(context: Context, folder: string): Context {
  const env = readText(context, 'env');
  if (env === undefined) {
    refuseForgotten(context, folder);
    return context;
  }
  const settings = readFile(folder, parseText(env, 'env', ENV));
  refuseUnknown(Object.keys(settings), NAMES);
  if (readText(settings, 'stackName') === undefined) {
    throw new ConfigError(`deploy/${env}.json must say stackName: two environments of one name overwrite each other.`);
  }
  const contradicted = Object.keys(settings).find((name) => {
    const given = readText(context, name);
    return given !== undefined && given !== readText(settings, name);
  });
  if (contradicted === undefined) return { ...context, ...settings };
  throw new ConfigError(
    `${contradicted} is one thing in deploy/${env}.json and another in -c: change it in the file, so that the next deploy keeps it.`,
  );
}

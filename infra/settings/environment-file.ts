import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, matching, parseText } from '../../shared/settings/formats.ts';
import { type Context, problemsOfNames, readText } from './context.ts';
import { NAMES } from './formats.ts';
import { DEFAULT_STACK_NAME } from './settings.ts';

const ENV = matching('the name of a file in deploy/, without .json', /^\w[\w-]*$/);

function listEnvironments(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => /^(.+)\.json$/.exec(name)?.[1] ?? []);
}

/** Reads a file, or throws `ConfigError`, which never quotes the file: somebody may have put a key into it. */
function readFile(folder: string, env: string): Context {
  const file = `deploy/${env}.json`;
  let text = '';
  let parsed: unknown;
  try {
    text = readFileSync(join(folder, `${env}.json`), 'utf8');
    parsed = JSON.parse(text);
  } catch (error) {
    const there = listEnvironments(folder).join(', ');
    // What is no JSON is refused below, as JSON that is no object is.
    if (!(error instanceof SyntaxError)) throw new ConfigError(`${file} cannot be read; there are ${there}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new ConfigError(`${file} must be JSON: one object of settings and their values.`);
  }
  // Of two, JSON.parse takes the last and a person may read the first: which cap would hold?
  const names = [...text.matchAll(/("(?:[^"\\]|\\.)*")(\s*:)?/g)].flatMap(([, written = '', colon]) =>
    colon === undefined ? [] : String(JSON.parse(written)),
  );
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`${file} has ${twice} twice; leave one.`);
  return { ...parsed };
}

/** Refuses a deploy without `env` of a stack that has a file, or may have a malformed one: it would lose what that says. */
function refuseForgotten(context: Context, folder: string): void {
  const stackName = readText(context, 'stackName') ?? DEFAULT_STACK_NAME;
  const others = listEnvironments(folder).filter((name) => name !== 'example');
  const env = others.find((name) => readFile(folder, name)['stackName'] === stackName);
  if (env === undefined) return;
  throw new ConfigError(`deploy/${env}.json has the settings of the stack ${stackName}: deploy it with -c env=${env}.`);
}

/** Returns the name, region and, by its topic, account of the stack of a file, also of a malformed one. */
function placeOf(folder: string, env: string): readonly (string | undefined)[] {
  const text = readFileSync(join(folder, `${env}.json`), 'utf8');
  const said = (name: string) => new RegExp(`"${name}"\\s*:\\s*"(.*?)"`).exec(text)?.[1];
  return [said('stackName') ?? env, said('region'), said('alarmTopic')?.split(':')[4]];
}

/**
 * Adds the settings of `deploy/NAME.json` if `-c env=NAME` names it, and returns what is wrong with that file; throws
 * `ConfigError` if it cannot be read. A setting given in both places must be equal: one from the command line would be
 * gone with the next deploy.
 */
export function withEnvironmentFile(context: Context, folder: string) {
  const env = readText(context, 'env');
  if (env === undefined) {
    refuseForgotten(context, folder);
    return { context, problems: [] };
  }
  const file = `deploy/${env}.json`;
  const settings = readFile(folder, parseText(env, 'env', ENV));
  const names = Object.keys(settings);
  const place = placeOf(folder, env);
  const isNoOther = (part: string | undefined, index: number) => (part ?? place[index]) === (place[index] ?? part);
  const problems = [
    ...problemsOfNames(names, NAMES),
    settings['stackName'] === undefined &&
      `${file} must say stackName: two environments of one name overwrite each other.`,
    ...listEnvironments(folder)
      .filter((name) => name !== env && name !== 'example' && placeOf(folder, name).every(isNoOther))
      .map((name) => `deploy/${name}.json is of this stack too: change stackName, or give both a region and a topic.`),
    ...names
      .filter((name) => context[name] !== undefined && `${context[name]}` !== `${settings[name]}`)
      .map(
        (name) => `${file} and -c ${name}=… say different things: change the file, so that the next deploy keeps it.`,
      ),
  ];
  return { context: { ...context, ...settings }, problems };
}

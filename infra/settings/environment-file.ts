import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../shared/node-error.ts';
import { ConfigError, parseText } from '../../shared/settings/formats.ts';
import { CONTEXT } from './table.ts';

/** The values of `-c name=value`, of a file in `deploy/` and of cdk.json, by name. */
export type Context = Readonly<Record<string, unknown>>;

const FILE = z.looseObject({ stackName: z.string() });

/** The names of the files without the example, whose placeholders are refused. */
function environmentsIn(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((file) => /^(?!example\.)(\w[\w-]*)\.json$/.exec(file)?.[1] ?? []);
}

/** Reads `deploy/NAME.json`. Throws `ConfigError`, which never quotes the file: a key may be in it. */
function readFile(folder: string, env: string): z.infer<typeof FILE> {
  let text = '';
  try {
    text = readFileSync(join(folder, `${env}.json`), 'utf8');
    // JSON.parse keeps the last of two members: a cap further down would replace the one that is read first.
    const names = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon).map(([name]) => name);
    const file = FILE.parse(JSON.parse(text));
    if (new Set(names.map((name) => name.replace(/\s*:$/, ''))).size === names.length) return file;
  } catch (error) {
    const code = errorCode(error);
    const why = code
      ? `be readable (${code}); there are: ${environmentsIn(folder).join(', ') || 'none'}`
      : 'be JSON: one object of settings and their values, with a stackName';
    throw new ConfigError(`deploy/${env}.json must ${why}.`);
  }
  throw new ConfigError(`deploy/${env}.json must have each setting once.`);
}

/**
 * Adds the settings of `deploy/NAME.json` where `-c env=NAME` names it; the command line wins. Throws `ConfigError` for a
 * stack that another file names: without `env`, its orders and the actions of its alarms would be taken away.
 */
export function withEnvironmentFile(context: Context, folder: string): Context {
  const { env: given } = context;
  const env = given === undefined ? undefined : parseText(`${given}`, 'env', CONTEXT.env);
  // Two files without a name would overwrite each other's stack.
  const settings: Context = { ...(env !== undefined && readFile(folder, env)), ...context };
  const stackName = `${settings['stackName'] ?? CONTEXT.stackName.preset}`;
  const isItsStack = (name: string) => name !== env && readFile(folder, name).stackName === stackName;
  const owner = env === 'example' ? undefined : environmentsIn(folder).find(isItsStack);
  if (owner === undefined) return settings;
  const advice = env === undefined ? `deploy it with -c env=${owner}` : `give deploy/${env}.json another stackName`;
  throw new ConfigError(`deploy/${owner}.json has the settings of the stack ${stackName}: ${advice}.`);
}

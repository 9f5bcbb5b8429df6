import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { errorCode } from '../../shared/error-code.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { parseText } from '../../shared/settings/read.ts';
import { CONTEXT } from '../../shared/settings/table.ts';
import type { Context } from './settings.ts';

const FORM = z.object({ stackName: z.string() });

/**
 * Adds the settings of `deploy/NAME.json` where `-c env=NAME` names it; the command line wins. Throws `ConfigError`, which
 * never quotes the file: a key may be in it.
 */
export function withEnvironmentFile(context: Context, folder: string): Context {
  if (context['env'] === undefined) return context;
  const env = parseText(`${context['env']}`, 'env', CONTEXT.env);
  const file = `deploy/${env}.json`;
  let settings: unknown;
  try {
    settings = JSON.parse(readFileSync(join(folder, `${env}.json`), 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new ConfigError(`${file} cannot be read (${errorCode(error)}).`);
  }
  // Two files without a name would overwrite each other's stack.
  if (!z.safeParse(FORM, settings).success) {
    throw new ConfigError(`${file} must be JSON: one object of settings and their values, with a stackName.`);
  }
  return Object.assign({}, settings, context);
}

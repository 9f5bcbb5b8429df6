import * as z from 'zod/mini';
import { ConfigError, type Format } from './formats.ts';

// Apart from the table of all settings: what reads a secret of a few members does not carry the others.

/** Parses a text; throws `ConfigError` naming `name`. */
export function parseText<T>(text: string, name: string, format: Format<T>): T {
  const { success, data, error } = z.safeParse(format, text);
  if (!success) throw new ConfigError(`${name} must be ${error.issues[0]?.message}.`);
  return data;
}

/** Docker keeps the quotes of an env file. */
const QUOTED = /^\s*["'`]/;

/**
 * Reads settings from their texts. A malformed one counts as absent, and `problems` has its sentence, which never repeats
 * the text. `label` is the name by which the operator knows a setting.
 */
export function readTexts<const T extends Readonly<Record<string, Format<unknown>>>>(
  table: T,
  texts: Readonly<Record<string, string | undefined>>,
  label: (name: string) => string,
) {
  const schema = z.object(table);
  const { success, data, error } = z.safeParse(schema, texts);
  if (success) return { values: data, problems: [] };
  const malformed = error.issues.map(({ path, message }) => ({ name: String(path[0]), message }));
  const absent = Object.fromEntries(malformed.map(({ name }) => [name, undefined]));
  const ruleOf = (name: string, rule: string) =>
    QUOTED.test(texts[name] ?? '') ? `written without quotes, as ${rule}` : rule;
  const problems = malformed.map(({ name, message }) => `${label(name)} must be ${ruleOf(name, message)}.`);
  return { values: z.parse(schema, { ...texts, ...absent }), problems };
}

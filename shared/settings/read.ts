import { nearestOf } from '../nearest.ts';
import { throwProblems } from './formats.ts';
import { DEPLOYED, type Environment, LOCAL, type Setting, type Table, type ValuesOf, variableOf } from './table.ts';

/** The variable of each setting, by its name. */
const VARIABLES = new Map(Object.keys({ ...LOCAL, ...DEPLOYED }).map((name) => [name, variableOf(name)]));

/** Returns sentences on the variables that are not in the table: misspelt settings, and unknown names. */
function judgeOthers(env: Environment, table: object) {
  const own = Object.keys(table).map((name) => VARIABLES.get(name));
  const [misspelt, warnings]: [string[], string[]] = [[], []];
  for (const variable of Object.keys(env)) {
    if (!/^SERVICE_/i.test(variable) || !env[variable] || own.includes(variable)) continue;
    // A name such as "SERVICE_X: abc" contains a value, which may be a secret.
    const shown = variable.replace(/\W.*/s, '…');
    const { name, isNear } = nearestOf(shown.replace('…', ''), [...VARIABLES.values()]);
    if (isNear && name !== variable) misspelt.push(`${shown} is not a setting: did you mean ${name}?`);
    else warnings.push(`${shown} is set, but has no effect here.`);
  }
  return { misspelt, warnings };
}

/** Returns the text of a setting; a variable without the prefix may be in lower case. */
function textOf(name: string, env: Environment): string | undefined {
  const variable = VARIABLES.get(name) ?? variableOf(name);
  return env[variable] || (variable.startsWith('SERVICE_') ? undefined : env[variable.toLowerCase()]) || undefined;
}

/** Docker keeps the quotes of an env file. */
const QUOTED = /^\s*["'`]/;

/**
 * Reads settings from their texts. A malformed one counts as absent, and `problems` has its sentence, which never repeats
 * the text. `label` is the name by which the operator knows a setting.
 */
export function readTexts<const T extends Table>(
  table: T,
  texts: Environment,
  label: (name: string) => string,
): { readonly values: ValuesOf<T>; readonly problems: readonly string[] };
export function readTexts(table: Table, texts: Environment, label: (name: string) => string) {
  const problems: string[] = [];
  const read = ([name, { rule, parse, absent }]: readonly [string, Setting<unknown>]) => {
    const text = texts[name];
    const value = text === undefined ? absent : parse(text);
    if (text === undefined || value !== undefined) return [name, value] as const;
    problems.push(`${label(name)} must be ${QUOTED.test(text) ? `written without quotes, as ${rule}` : rule}.`);
    return [name, absent] as const;
  };
  return { values: Object.fromEntries(Object.entries(table).map(read)), problems };
}

function readTable<const T extends Table>(env: Environment, table: T) {
  const texts = Object.fromEntries(Object.keys(table).map((name) => [name, textOf(name, env)]));
  return readTexts(table, texts, variableOf);
}

/** Reads some settings from the environment, whatever else is in it. Throws `ConfigError` for a malformed one. */
export function readSome<const T extends Table>(env: Environment, table: T) {
  const { values, problems } = readTable(env, table);
  throwProblems(problems);
  return values;
}

/**
 * Reads all settings of a process from the environment. Throws `ConfigError` with a sentence for each that is malformed,
 * and for each variable that is nearly a setting: a misspelt cap would be no cap.
 */
export function readVariables<const T extends Table>(env: Environment, table: T) {
  const { values, problems } = readTable(env, table);
  const { misspelt, warnings } = judgeOthers(env, table);
  throwProblems([...misspelt, ...problems]);
  return { values, warnings };
}

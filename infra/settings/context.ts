import { ConfigError } from '../../shared/settings/formats.ts';
import { COMMON_SETTINGS, DEPLOYMENT_SETTINGS, nearestOf, type Setting } from '../../shared/settings/table.ts';

/** The values of `-c name=value` and of cdk.json, by name. */
export type Context = Readonly<Record<string, unknown>>;

/** Reads a setting as text: the command line gives texts, cdk.json gives JSON. Throws `ConfigError` for an empty one. */
export function readText(context: Context, name: string): string | undefined {
  const value = context[name];
  if (value === undefined) return undefined;
  // Mostly a shell's variable that is not set: a cap would be gone, or the check of clients, without a word.
  if (value === '' || value === null) throw new ConfigError(`${name} is empty: leave it out, or say what it is.`);
  if (typeof value === 'string') return value;
  // An audience of 19 digits would be another one.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ConfigError(`${name} has more digits than a number keeps: put it in quotes.`);
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ConfigError(`${name} must be a text.`);
}

/** The form of a setting. */
export interface Rule {
  readonly valid: (text: string) => boolean;
  /** Completes the sentence "… must be". */
  readonly rule: string;
}

/** Reads a text by its rule; throws `ConfigError` for one that breaks it. */
export function readValid(context: Context, name: string, { valid, rule }: Rule): string | undefined {
  const text = readText(context, name);
  if (text !== undefined && !valid(text)) throw new ConfigError(`${name} must be ${rule}.`);
  return text;
}

/** Reads one of some texts; throws `ConfigError` with all of them for any other. */
export function readOneOf<T extends string>(context: Context, name: string, values: readonly T[]): T | undefined {
  const text = readText(context, name);
  const value = values.find((candidate) => candidate === text);
  if (text !== undefined && value === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}.`);
  return value;
}

/** Reads a whole number from 1 to `most`; throws `ConfigError` for anything else. */
export function readCount(context: Context, name: string, most: number): number | undefined {
  const valid = (text: string) => /^[1-9]\d{0,8}$/.test(text) && Number(text) <= most;
  const text = readValid(context, name, { valid, rule: `a whole number from 1 to ${most}` });
  return text === undefined ? undefined : Number(text);
}

/** The account and region of the deployment, as far as synth can know them. */
export interface Target {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** The account of the example, which is nobody's. */
const PLACEHOLDER_ACCOUNT = '111111111111';

/** Reads an ARN of a form; throws `ConfigError` for another form, a placeholder, and another region or account. */
export function readArn(
  context: Context,
  name: string,
  what: string,
  form: RegExp,
  target: Target,
): string | undefined {
  const arn = readValid(context, name, { valid: (text) => form.test(text), rule: `the ARN of ${what}` });
  if (arn !== undefined) requireOwn(name, what, arn, target);
  return arn;
}

/** Refuses an ARN of another region or account than the target's: it is not found there, or not allowed. */
export function requireOwn(name: string, what: string, arn: string, { region, account }: Target): void {
  const [, , , ownRegion, ownAccount] = arn.split(':');
  if (ownAccount === PLACEHOLDER_ACCOUNT) throw new ConfigError(`${name} is that of the example: give your own.`);
  if (region !== undefined && ownRegion !== region) {
    throw new ConfigError(`${name} must be ${what} of ${region}, where the functions run.`);
  }
  if (account !== undefined && ownAccount !== account) {
    throw new ConfigError(`${name} must be ${what} of the account that is deployed to, ${account}.`);
  }
}

// The stack sets these by itself.
const { ordersTable, metricsNamespace, orderAccess, ...given } = DEPLOYMENT_SETTINGS;
const ROWS: Readonly<Record<string, Setting>> = { ...given, ...COMMON_SETTINGS };

/** The settings of the service that `-c` takes, by their names in the table. */
export const OPTIONS = Object.entries(ROWS).map(([option, { name: variable, format, functions = [] }]) => {
  // What passes here the functions start with: else every request to them would be a bare 500.
  const rule: Rule = { valid: (text) => format.parse(text) !== undefined, rule: format.rule };
  return { option, variable, functions, rule };
});

/** Reads those options that are there, by the names of their variables. */
export function readVariables(context: Context, options: typeof OPTIONS): Readonly<Record<string, string>> {
  const texts = options.map(({ option, variable, rule }) => [variable, readValid(context, option, rule)] as const);
  return Object.fromEntries(texts.flatMap(([variable, text]) => (text === undefined ? [] : [[variable, text]])));
}

/** Refuses unknown names: a misspelt `maxDailyNotional` would deploy a service without that cap. */
export function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const sentences = unknown.map(
    (name) => `${name} is not a setting of a deployment: did you mean ${nearestOf(name, known)}?`,
  );
  throw new ConfigError(sentences.join('\n'));
}

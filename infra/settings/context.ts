import { type Attempt, ConfigError, type Format, parseText } from '../../shared/settings/formats.ts';
import { nearestOf } from '../../shared/settings/table.ts';

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

/** The formats of settings, by their names. */
export type Formats = Readonly<Record<string, Format<unknown>>>;

/** The values of settings, by their names; `undefined` where one is left out or malformed. */
export type Values<T extends Formats> = { readonly [Name in keyof T]: ReturnType<T[Name]['parse']> };

/** Reads settings by their formats. */
export function readValues<T extends Formats>(context: Context, formats: T, attempt: Attempt): Values<T>;
// A second signature, since no type follows a table through `Object.fromEntries`.
export function readValues(context: Context, formats: Formats, attempt: Attempt): Context {
  const read = (name: string, format: Format<unknown>) => {
    const text = readText(context, name);
    return text === undefined ? undefined : parseText(text, name, format);
  };
  return Object.fromEntries(Object.entries(formats).map(([name, format]) => [name, attempt(() => read(name, format))]));
}

/** The account and region of the deployment, as far as synth can know them. */
export interface Target {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** The account of the example, which is nobody's. */
const PLACEHOLDER_ACCOUNT = '111111111111';

/** Refuses an ARN of another region or account than the target's: it is not found there, or not allowed. */
export function requireOwn(name: string, what: string, arn: string | undefined, { region, account }: Target): void {
  const [, , , ownRegion, ownAccount] = arn?.split(':') ?? [];
  if (ownAccount === PLACEHOLDER_ACCOUNT) throw new ConfigError(`${name} is that of the example: give your own.`);
  if (ownRegion !== undefined && region !== undefined && ownRegion !== region) {
    throw new ConfigError(`${name} must be ${what} of ${region}, where the functions run.`);
  }
  if (ownAccount !== undefined && account !== undefined && ownAccount !== account) {
    throw new ConfigError(`${name} must be ${what} of the account that is deployed to, ${account}.`);
  }
}

/** Refuses unknown names: a misspelt `maxDailyNotional` would deploy a service without that cap. */
export function refuseUnknown(names: readonly string[], known: readonly string[]): void {
  const sentences = names
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is not a setting of a deployment: did you mean ${nearestOf(name, known)}?`);
  if (sentences.length > 0) throw new ConfigError(sentences.join('\n'));
}

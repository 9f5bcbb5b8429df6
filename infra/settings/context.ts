import { ConfigError } from '../../shared/settings/formats.ts';
import { nearestOf } from '../../shared/settings/table.ts';

/** The values of `-c name=value` and of cdk.json, by name. */
export type Context = Readonly<Record<string, unknown>>;

/** Reads a setting as text: the command line gives texts, cdk.json gives JSON. Throws `ConfigError` for an empty one. */
export function readText(context: Context, name: string): string | undefined {
  const value = context[name];
  if (value === undefined) return undefined;
  // Usually an unset shell variable: a cap, or the check of clients, would silently be gone.
  if (value === '' || value === null) throw new ConfigError(`${name} is empty: leave it out, or say what it is.`);
  if (typeof value === 'string') return value;
  // As a number, an audience of 19 digits would become another one.
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ConfigError(`${name} has more digits than a number keeps: put it in quotes.`);
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new ConfigError(`${name} must be a text.`);
}

/** A sentence to the operator; `false` or `undefined` if there is nothing to say. */
export type Sentence = string | false | undefined;

/** Drops everything that is not a sentence. */
export function said(sentences: readonly Sentence[]): readonly string[] {
  return sentences.filter((sentence) => typeof sentence === 'string');
}

/** Throws one `ConfigError` with all sentences, if there are any. */
export function refuse(sentences: readonly Sentence[]): void {
  const problems = said(sentences);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** The account and region of the deployment, as far as synth can know them. */
export interface Target {
  readonly account?: string | undefined;
  readonly region?: string | undefined;
}

/** The account of the example, which is nobody's. */
const PLACEHOLDER_ACCOUNT = '111111111111';

/** Returns why an ARN is not the target's: in another region it is not found, in another account not allowed. */
export function problemOfArn(name: string, what: string, arn: string | undefined, target: Target): Sentence {
  const { region, account } = target;
  const [, , , itsRegion = region, itsAccount = account] = arn?.split(':') ?? [];
  if (itsAccount === PLACEHOLDER_ACCOUNT) return `${name} is that of the example: give your own.`;
  const isElsewhere = region !== undefined && itsRegion !== region;
  if (isElsewhere) return `${name} must be ${what} of ${region}, where the functions run.`;
  const isForeign = account !== undefined && itsAccount !== account;
  return isForeign && `${name} must be ${what} of the account that is deployed to, ${account}.`;
}

/** Returns a sentence for each unknown name: a misspelt `maxDailyNotional` would deploy a service without that cap. */
export function problemsOfNames(names: readonly string[], known: readonly string[]): readonly Sentence[] {
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.map((name) => `${name} is not a setting of a deployment: did you mean ${nearestOf(name, known)}?`);
}

import { type Attempt, ConfigError, readAll } from '../../shared/settings/formats.ts';
import { type Context, problemOfArn, problemsOfNames, refuse, type Sentence, type Target } from './context.ts';
import { type CommonValues, NAMES, ORDER_NAMES, readValues, variablesOf } from './formats.ts';
import { readOrderSettings } from './order-settings.ts';
import { RECOMMENDED_REGION } from './regions.ts';

/** All that a deployment is made of: the settings, where one that has a default is never `undefined`. */
export type Settings = ReturnType<typeof read>;

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

/** The name of a stack that is given none. */
export const DEFAULT_STACK_NAME = 'order-book-adapter';

/** Returns sentences about settings that do not go together. */
function problemsOf(context: Context, values: CommonValues, target: Target): readonly Sentence[] {
  const usesTokens = ['orderAccess', 'readAccess'].some((name) => context[name] === 'jwt');
  const isAlone = (one: keyof CommonValues, other: string) => values[one] !== undefined && context[other] === undefined;
  return [
    problemOfArn('alarmTopic', 'a topic', values.alarmTopic, target),
    problemOfArn('certificateArn', 'a certificate of ACM', values.certificateArn, target),
    !usesTokens &&
      (values.jwtIssuer ?? values.jwtAudience ?? values.jwtScopes) !== undefined &&
      'jwtIssuer, jwtAudience and jwtScopes go with orderAccess=jwt or readAccess=jwt.',
    usesTokens &&
      (context['jwtIssuer'] === undefined || context['jwtAudience'] === undefined) &&
      'jwt needs -c jwtIssuer=https://… and -c jwtAudience=…, as the tokens name them.',
    (isAlone('domainName', 'certificateArn') || isAlone('certificateArn', 'domainName')) &&
      'domainName and certificateArn go together: give both, or none.',
  ];
}

/** Returns the warning of settings that have no effect. */
function warnOfUnused(context: Context): readonly string[] {
  const ignored = ORDER_NAMES.filter((name) => context[name] !== undefined);
  if (ignored.length === 0) return [];
  return [`${ignored.join(', ')}: not used without -c placeOrder=true, which turns orders off.`];
}

function read(context: Context, found: Target, problems: readonly Sentence[], attempt: Attempt) {
  const names = Object.keys(context).filter((name) => !OF_THE_CDK.test(name));
  attempt(() => refuse([...problems, ...problemsOfNames(names, NAMES)]));
  const values = readValues(context, attempt);
  // A malformed one is said to be so: what follows from that of the AWS configuration would be untrue.
  const region = context['region'] === undefined ? found.region : values.region;
  const target = { ...found, region };
  // A malformed flag asks for orders too: what they lack is said with it.
  const isMeant = values.placeOrder ?? Boolean(context['placeOrder']);
  const orders = isMeant ? readOrderSettings(context, values, target, attempt) : undefined;
  attempt(() => refuse(problemsOf(context, values, target)));
  return {
    ...values,
    region,
    stackName: values.stackName ?? DEFAULT_STACK_NAME,
    readAccess: values.readAccess ?? 'open',
    // Variables for every function, by the names of the service's settings.
    environment: variablesOf('markets', context),
    // Absent for a read-only deployment.
    orders,
    // Sentences about settings with no effect, a large effect, or perhaps an unintended one.
    warnings: orders?.warnings ?? warnOfUnused(context),
  };
}

/** The minimum for orders, with placeholders of the right form. */
const NEEDED_FOR_ORDERS = {
  placeOrder: 'true',
  region: RECOMMENDED_REGION,
  walletAddress: '0x…',
  privateKeySecret: 'NAME',
  maxOrderNotional: '250',
  maxDailyNotional: '1000',
  alarmTopic: 'arn:aws:sns:…',
} as const;

/** Quotes a text for a shell where needed. */
function quote(text: string): string {
  return /^[\w…:/.,@+-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a command line, or a file, that is complete but for the values marked `…`. */
function suggestionOf(context: Context, sentences: string): string {
  // A value that has to do with what is missing, such as `orderAccess=jwt needs …`, is not wrong itself.
  const isWrong = (name: string) => new RegExp(`-c ${name}=|\\b${name}\\b(?!=)`).test(sentences);
  const kept = NAMES.filter((name) => name !== 'env' && context[name] !== undefined && !isWrong(name));
  const malformed = [...sentences.matchAll(/^(\w+) must be (?!true|left out)/gm)].map(([, name]) => [name, '…']);
  const missing = [...sentences.matchAll(/-c (\w+)=(\S*…)/g)].map(([, name, value]) => [name, value]);
  const given = kept.map((name) => [name, context[name]]);
  const suggested = { ...NEEDED_FOR_ORDERS, ...Object.fromEntries([...malformed, ...missing, ...given]) };
  if (context['env'] !== undefined) {
    return `A file deploy/${context['env']}.json that would do, but for its values:\n${JSON.stringify({ stackName: '…', ...suggested }, null, 2)}`;
  }
  const options = Object.entries(suggested).map(([name, value]) => `-c ${name}=${quote(`${value}`)}`);
  return `A command that would do, but for its values:\nnpx cdk deploy ${options.join(' ')}`;
}

/**
 * Reads the settings of a deployment. Throws one `ConfigError` with all that is missing or wrong and, for orders, with
 * a command or a file to paste. `found`: account and region of the machine's AWS configuration. `problems`: those of the
 * file that the context comes from.
 */
export function readSettings(context: Context, found: Target = {}, problems: readonly Sentence[] = []): Settings {
  try {
    return readAll((attempt) => read(context, found, problems, attempt));
  } catch (error) {
    if (!(error instanceof ConfigError) || context['placeOrder'] === undefined) throw error;
    throw new ConfigError(`${error.message}\n\n${suggestionOf(context, error.message)}`);
  }
}

import { type Attempt, ConfigError, readAll } from '../../shared/settings/formats.ts';
import {
  type Context,
  OPTIONS,
  readArn,
  readCount,
  readOneOf,
  readText,
  readValid,
  readVariables,
  refuseUnknown,
  type Target,
} from './context.ts';
import { ORDER_SETTING_NAMES, type OrderSettings, readOrderSettings } from './order-settings.ts';
import { RECOMMENDED_REGION } from './regions.ts';

/** The tokens that the gateway's JWT authorizer takes. */
interface Tokens {
  readonly issuer: string;
  readonly audience: string;
  /** A token needs one of them; none where every token of the audience is good. */
  readonly scopes: readonly string[];
}

/** The callers who may read: `open` is everybody. */
export type ReadAccess = 'open' | 'iam' | 'jwt';

/** All that a deployment is made of. */
export interface Settings {
  readonly stackName: string;
  /** `undefined` leaves it to whoever deploys the template. */
  readonly region: string | undefined;
  /** ARN of the SNS topic that alarms go to. */
  readonly alarmTopic: string | undefined;
  /** Variables for every function, by the names of the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** A restored table to go on with, in the place of the stack's own. */
  readonly ordersTable: string | undefined;
  readonly readAccess: ReadAccess;
  readonly tokens: Tokens | undefined;
  /** Requests a second that the gateway lets through, in the place of those that the venue's limits suggest. */
  readonly perSecond: { readonly markets: number | undefined; readonly book: number | undefined };
  /** Reads handled at the same time by each of the two functions; `undefined` reserves nothing. */
  readonly readConcurrency: number | undefined;
  readonly domain: { readonly name: string; readonly certificateArn: string } | undefined;
  /** Route 53 asks for /health from outside, and an alarm rings when nobody is heard. */
  readonly healthCheck: boolean;
  /** In USD, for the whole account. */
  readonly monthlyBudget: number | undefined;
  /** Absent where the service alone is context for. */
  readonly orders: OrderSettings | undefined;
  /** Sentences about settings that have no effect, a large one, or perhaps not the one that was meant. */
  readonly warnings: readonly string[];
}

/** The settings that every function is told. */
const COMMON = OPTIONS.filter(({ functions }) => functions.includes('markets'));

/** The names of all settings. */
export const NAMES = [
  'placeOrder',
  ...ORDER_SETTING_NAMES,
  'region',
  'stackName',
  ...COMMON.map(({ option }) => option),
  'alarmTopic',
  'readAccess',
  'jwtIssuer',
  'jwtAudience',
  'jwtScopes',
  'marketsPerSecond',
  'booksPerSecond',
  'readConcurrency',
  'domainName',
  'certificateArn',
  'healthCheck',
  'monthlyBudget',
  'ordersTable',
  'env',
];

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

/** The name of a stack that is given none. */
export const DEFAULT_STACK_NAME = 'order-book-adapter';

const REGION = { valid: (text: string) => /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text), rule: 'an AWS region' };
const STACK_NAME = {
  // The names of functions are made of it, and have an end.
  valid: (text: string) => /^[A-Za-z][A-Za-z0-9-]{0,49}$/.test(text),
  rule: 'a letter, then letters, digits and dashes, 50 at most',
};
const TABLE = { valid: (text: string) => /^[\w.-]{3,255}$/.test(text), rule: 'the name of a DynamoDB table' };
const HOST_NAME = { valid: (text: string) => /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/.test(text), rule: 'a host name' };
const ISSUER = {
  valid: (text: string) => /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/.test(text),
  rule: 'an https URL',
};
const SCOPES = {
  valid: (text: string) => /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/.test(text),
  rule: 'scopes, separated by a space',
};
const TOPIC = /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/;
const CERTIFICATE = /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/;

/** Reads the opt-in to orders. Anything but a clear yes or no is refused: its meaning would be a guess. */
function readFlag(context: Context, name: string): boolean {
  const text = readText(context, name) ?? 'false';
  if (text === 'true' || text === '1') return true;
  if (text === 'false') return false;
  throw new ConfigError(`${name} must be true, or left out.`);
}

function readTokens(context: Context): Tokens | undefined {
  const isUsed = ['orderAccess', 'readAccess'].some((name) => context[name] === 'jwt');
  const issuer = readValid(context, 'jwtIssuer', ISSUER);
  const audience = readText(context, 'jwtAudience');
  const scopes = readValid(context, 'jwtScopes', SCOPES)?.split(' ') ?? [];
  if (!isUsed) {
    if (issuer === undefined && audience === undefined && scopes.length === 0) return undefined;
    throw new ConfigError('jwtIssuer, jwtAudience and jwtScopes go with orderAccess=jwt or readAccess=jwt.');
  }
  if (issuer !== undefined && audience !== undefined) return { issuer, audience, scopes };
  throw new ConfigError('jwt needs -c jwtIssuer=https://… and -c jwtAudience=…, as the tokens name them.');
}

function readDomain(context: Context, target: Target): Settings['domain'] {
  const name = readValid(context, 'domainName', HOST_NAME);
  const certificateArn = readArn(context, 'certificateArn', 'a certificate of ACM', CERTIFICATE, target);
  if (name === undefined && certificateArn === undefined) return undefined;
  if (name !== undefined && certificateArn !== undefined) return { name, certificateArn };
  throw new ConfigError('domainName and certificateArn go together: give both, or none.');
}

function readBudget(context: Context): number | undefined {
  const budget = readCount(context, 'monthlyBudget', 1_000_000);
  if (budget === undefined || readText(context, 'alarmTopic') !== undefined) return budget;
  throw new ConfigError('monthlyBudget needs -c alarmTopic=…, which is told.');
}

function warnOfUnused(context: Context): readonly string[] {
  const ignored = ORDER_SETTING_NAMES.filter((name) => context[name] !== undefined);
  if (ignored.length === 0) return [];
  return [`${ignored.join(', ')}: not used without -c placeOrder=true, which turns orders off.`];
}

function read(context: Context, found: Target, attempt: Attempt): Settings {
  attempt(() =>
    refuseUnknown(
      Object.keys(context).filter((name) => !OF_THE_CDK.test(name)),
      NAMES,
    ),
  );
  for (const name of NAMES) attempt(() => readText(context, name));
  const placeOrder = attempt(() => readFlag(context, 'placeOrder'));
  const region = attempt(() => readValid(context, 'region', REGION)) ?? found.region;
  const target = { ...found, region };
  const orders = placeOrder ? readOrderSettings(context, target, attempt) : undefined;
  return {
    stackName: attempt(() => readValid(context, 'stackName', STACK_NAME)) ?? DEFAULT_STACK_NAME,
    region,
    alarmTopic: attempt(() => readArn(context, 'alarmTopic', 'a topic', TOPIC, target)),
    environment: attempt(() => readVariables(context, COMMON)) ?? {},
    ordersTable: attempt(() => readValid(context, 'ordersTable', TABLE)),
    readAccess: attempt(() => readOneOf(context, 'readAccess', ['open', 'iam', 'jwt'])) ?? 'open',
    tokens: attempt(() => readTokens(context)),
    perSecond: {
      markets: attempt(() => readCount(context, 'marketsPerSecond', 10_000)),
      book: attempt(() => readCount(context, 'booksPerSecond', 10_000)),
    },
    readConcurrency: attempt(() => readCount(context, 'readConcurrency', 1_000)),
    domain: attempt(() => readDomain(context, target)),
    healthCheck: attempt(() => readFlag(context, 'healthCheck')) ?? false,
    monthlyBudget: attempt(() => readBudget(context)),
    orders,
    warnings: orders?.warnings ?? (placeOrder ? [] : warnOfUnused(context)),
  };
}

/** What orders need at least, with values that have the right form and nothing else. */
const NEEDED_FOR_ORDERS = {
  placeOrder: 'true',
  region: RECOMMENDED_REGION,
  walletAddress: '0x…',
  privateKeySecret: 'NAME',
  maxOrderNotional: '250',
  maxDailyNotional: '1000',
  alarmTopic: 'arn:aws:sns:…',
} as const;

/** Returns a command line, or a file, in which only values are left to be put in the place of `…`. */
function suggestionOf(context: Context, sentences: string): string {
  const isWrong = (name: string) => new RegExp(`\\b${name}\\b`).test(sentences);
  const kept = NAMES.filter((name) => name !== 'env' && context[name] !== undefined && !isWrong(name));
  const suggested = { ...NEEDED_FOR_ORDERS, ...Object.fromEntries(kept.map((name) => [name, context[name]])) };
  if (context['env'] !== undefined) {
    return `A file deploy/${context['env']}.json that would do, but for its values:\n${JSON.stringify(suggested, null, 2)}`;
  }
  const options = Object.entries(suggested).map(([name, value]) => `-c ${name}=${value}`);
  return `A command that would do, but for its values:\nnpx cdk deploy ${options.join(' ')}`;
}

/**
 * Reads what the operator asks for; throws one `ConfigError` with all that is missing or wrong, and where orders are
 * context for with what to paste. `found` is what the CDK found in the AWS configuration of the machine.
 */
export function readSettings(context: Context, found: Target = {}): Settings {
  try {
    return readAll((attempt) => read(context, found, attempt));
  } catch (error) {
    if (!(error instanceof ConfigError) || context['placeOrder'] === undefined) throw error;
    throw new ConfigError(`${error.message}\n\n${suggestionOf(context, error.message)}`);
  }
}

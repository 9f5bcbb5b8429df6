import {
  type Attempt,
  ConfigError,
  type Format,
  matching,
  oneOf,
  readAll,
  TEXT,
} from '../../shared/settings/formats.ts';
import { type Context, readValues, refuseUnknown, requireOwn, type Target, type Values } from './context.ts';
import {
  COMMON_FORMATS,
  count,
  ORDER_FORMATS,
  type OrderSettings,
  readOrderSettings,
  variablesOf,
} from './order-settings.ts';
import { RECOMMENDED_REGION } from './regions.ts';

/** Anything but a clear yes or no is refused: its meaning would be a guess. */
const FLAG: Format<boolean> = {
  rule: 'true, or left out',
  parse: (text) => (/^(?:true|1|false)$/.test(text) ? text !== 'false' : undefined),
};

/** The formats of the settings that are not the service's own. */
const FORMATS = {
  placeOrder: FLAG,
  region: matching('an AWS region', /^[a-z]{2,4}(-[a-z]+)+-\d$/),
  // The names of functions are made of it, and have an end.
  stackName: matching('a letter, then letters, digits and dashes, 50 at most', /^[A-Za-z][A-Za-z0-9-]{0,49}$/),
  alarmTopic: matching('the ARN of a topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
  readAccess: oneOf(['open', 'iam', 'jwt']),
  jwtIssuer: matching('an https URL', /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/),
  jwtAudience: TEXT,
  jwtScopes: matching('scopes, separated by a space', /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/),
  marketsPerSecond: count(10_000),
  booksPerSecond: count(10_000),
  readConcurrency: count(1_000),
  domainName: matching('a host name', /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/),
  certificateArn: matching('the ARN of a certificate of ACM', /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
  healthCheck: FLAG,
  monthlyBudget: count(1_000_000),
  ordersTable: matching('the name of a DynamoDB table', /^[\w.-]{3,255}$/),
  env: TEXT,
} as const;

type Given = Values<typeof FORMATS>;

/** All that a deployment is made of: the settings, where one that has a default is never `undefined`. */
export interface Settings extends Omit<Given, 'placeOrder' | 'env'> {
  readonly stackName: string;
  /** The callers who may read: `open` is everybody. */
  readonly readAccess: NonNullable<Given['readAccess']>;
  /** Variables for every function, by the names of the service's settings. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absent where the service alone is asked for. */
  readonly orders: OrderSettings | undefined;
  /** Sentences about settings that have no effect, a large one, or perhaps not the one that was meant. */
  readonly warnings: readonly string[];
}

const ALL_FORMATS = { ...ORDER_FORMATS, ...COMMON_FORMATS, ...FORMATS };

/** The names of all settings. */
export const NAMES = Object.keys(ALL_FORMATS);

/** Names of the CDK's own context: those with a colon or an at sign, and two that its commands write. */
const OF_THE_CDK = /[:@]|^(?:acknowledged-issue-numbers|cli-telemetry)$/;

/** The name of a stack that is given none. */
export const DEFAULT_STACK_NAME = 'order-book-adapter';

function checkTokens(context: Context, values: Given): void {
  const isUsed = ['orderAccess', 'readAccess'].some((name) => context[name] === 'jwt');
  if (!isUsed && (values.jwtIssuer ?? values.jwtAudience ?? values.jwtScopes) !== undefined) {
    throw new ConfigError('jwtIssuer, jwtAudience and jwtScopes go with orderAccess=jwt or readAccess=jwt.');
  }
  if (isUsed && (context['jwtIssuer'] === undefined || context['jwtAudience'] === undefined)) {
    throw new ConfigError('jwt needs -c jwtIssuer=https://… and -c jwtAudience=…, as the tokens name them.');
  }
}

/** Checks what goes with what. */
function checkTogether(context: Context, values: Given, target: Target, attempt: Attempt): void {
  attempt(() => requireOwn('alarmTopic', 'a topic', values.alarmTopic, target));
  attempt(() => requireOwn('certificateArn', 'a certificate of ACM', values.certificateArn, target));
  attempt(() => checkTokens(context, values));
  const isAlone = (name: keyof Given, other: keyof Given) => values[name] !== undefined && context[other] === undefined;
  attempt(() => {
    if (!isAlone('domainName', 'certificateArn') && !isAlone('certificateArn', 'domainName')) return;
    throw new ConfigError('domainName and certificateArn go together: give both, or none.');
  });
  attempt(() => {
    if (!isAlone('monthlyBudget', 'alarmTopic')) return;
    throw new ConfigError('monthlyBudget needs -c alarmTopic=…, which is told.');
  });
}

function warnOfUnused(context: Context): readonly string[] {
  const ignored = Object.keys(ORDER_FORMATS).filter((name) => context[name] !== undefined);
  if (ignored.length === 0) return [];
  return [`${ignored.join(', ')}: not used without -c placeOrder=true, which turns orders off.`];
}

function read(context: Context, found: Target, attempt: Attempt): Settings {
  const names = Object.keys(context).filter((name) => !OF_THE_CDK.test(name));
  attempt(() => refuseUnknown(names, NAMES));
  const values = readValues(context, ALL_FORMATS, attempt);
  const region = values.region ?? found.region;
  const target = { ...found, region };
  const { placeOrder } = values;
  const orders = placeOrder ? readOrderSettings(context, values, target, attempt) : undefined;
  checkTogether(context, values, target, attempt);
  return {
    ...values,
    region,
    stackName: values.stackName ?? DEFAULT_STACK_NAME,
    readAccess: values.readAccess ?? 'open',
    environment: variablesOf(context, COMMON_FORMATS),
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

/** Returns a text as a shell takes it. */
function quote(text: string): string {
  return /^[\w…:/.,@+-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Returns a command line, or a file, in which only values are left to be put in the place of `…`. */
function suggestionOf(context: Context, sentences: string): string {
  // A value that has to do with what is missing, such as `orderAccess=jwt needs …`, is not wrong itself.
  const isWrong = (name: string) => new RegExp(`-c ${name}=|\\b${name}\\b(?!=)`).test(sentences);
  const kept = NAMES.filter((name) => name !== 'env' && context[name] !== undefined && !isWrong(name));
  const missing = [...sentences.matchAll(/-c (\w+)=(\S*…)/g)].map(([, name, value]) => [name, value]);
  const given = kept.map((name) => [name, context[name]]);
  const suggested = { ...NEEDED_FOR_ORDERS, ...Object.fromEntries([...missing, ...given]) };
  if (context['env'] !== undefined) {
    return `A file deploy/${context['env']}.json that would do, but for its values:\n${JSON.stringify(suggested, null, 2)}`;
  }
  const options = Object.entries(suggested).map(([name, value]) => `-c ${name}=${quote(`${value}`)}`);
  return `A command that would do, but for its values:\nnpx cdk deploy ${options.join(' ')}`;
}

/**
 * Reads what the operator asks for; throws one `ConfigError` with all that is missing or wrong, and where orders are
 * asked for with what to paste. `found` is what the CDK found in the AWS configuration of the machine.
 */
export function readSettings(context: Context, found: Target = {}): Settings {
  try {
    return readAll((attempt) => read(context, found, attempt));
  } catch (error) {
    if (!(error instanceof ConfigError) || context['placeOrder'] === undefined) throw error;
    throw new ConfigError(`${error.message}\n\n${suggestionOf(context, error.message)}`);
  }
}

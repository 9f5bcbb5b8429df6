import { getAddress, isAddress } from 'ethers/address';
import { AMOUNT, type Attempt, type Format, matching, oneOf, parseText, TEXT } from '../../shared/settings/formats.ts';
import { COMMON_SETTINGS, DEPLOYMENT_SETTINGS, ORDER_ACCESSES, type Setting } from '../../shared/settings/table.ts';
import { type Context, readText } from './context.ts';

/**
 * How a new version of the function of orders takes over.
 * - `canary`: a tenth of the orders for five minutes, then all; back to the previous version if meanwhile an alarm
 *   rings that a bad build can ring;
 * - `all-at-once`: regardless of alarms, for a fix while one rings and for another wallet.
 */
const ROLLOUTS = ['canary', 'all-at-once'] as const;

/** Second confirmation that anyone with a wallet, or with an account at the token issuer, may order. */
export const PUBLIC_CONSENT = 'yes-anyone-may-order';

/** The word for a cap that is left out on purpose. */
export const NO_CAP = 'none';

/** A cap, or `none`. */
const CAP: Format<string> = {
  rule: `${AMOUNT.rule}, or ${NO_CAP}`,
  parse: (text) => (text === NO_CAP || AMOUNT.parse(text) ? text : undefined),
};

const ADDRESS: Format<string> = {
  rule: 'an address: 0x and 40 hex digits, in lower case or with a right checksum',
  parse: (text) => (/^0x/.test(text) && isAddress(text) ? getAddress(text) : undefined),
};

/** Anything but a clear yes or no is refused: its meaning would be a guess. */
const FLAG: Format<boolean> = {
  rule: 'true, or left out',
  parse: (text) => (/^(?:true|1|false)$/.test(text) ? text !== 'false' : undefined),
};

/** Creates the format of whole numbers from 1 to `most`. */
function count(most: number): Format<number> {
  return {
    rule: `a whole number from 1 to ${most}`,
    parse: (text) => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most ? Number(text) : undefined),
  };
}

// The stack sets these by itself.
const { ordersTable, orderAccess, ...given } = DEPLOYMENT_SETTINGS;
const { placeOrder, ...common } = COMMON_SETTINGS;
/** Settings that functions get. The service's formats are checked here: else every request would be a bare 500. */
const SERVICE = Object.entries<Setting>({ ...given, ...common });

/** The settings of orders whose values are read here; some take a stricter form than in the service. */
const ORDER_FORMATS = {
  signatureType: common.signatureType.format,
  clientVerification: common.clientVerification.format,
  orderSubjects: given.orderSubjects.format,
  walletAddress: ADDRESS,
  funderAddress: ADDRESS,
  privateKeySecret: TEXT,
  maxOrderNotional: CAP,
  maxDailyNotional: CAP,
  orderAccess: oneOf(ORDER_ACCESSES),
  allowPublic: oneOf([PUBLIC_CONSENT]),
  orderConcurrency: count(1_000),
  rollout: oneOf(ROLLOUTS),
  secretKeyArn: matching('the ARN of a KMS key (no alias)', /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/),
} as const;

/** The settings of the whole deployment. */
const FORMATS = {
  placeOrder: FLAG,
  region: matching('an AWS region', /^[a-z]{2,4}(-[a-z]+)+-\d$/),
  // Names of functions contain it, and their length is limited.
  stackName: matching('a letter, then letters, digits and dashes, 50 at most', /^[A-Za-z][A-Za-z0-9-]{0,49}$/),
  alarmTopic: matching('the ARN of a topic', /^arn:[\w-]+:sns:[\w-]+:\d{12}:[\w-]+$/),
  readAccess: oneOf(['open', 'iam', 'jwt']),
  jwtIssuer: matching('an https URL', /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/),
  jwtAudience: TEXT,
  jwtScopes: matching('scopes, separated by a space; the gateway takes 10', /^[\x21-\x7e]+(?: [\x21-\x7e]+){0,9}$/),
  marketsPerSecond: count(10_000),
  booksPerSecond: count(10_000),
  readConcurrency: count(1_000),
  domainName: matching('a host name', /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/),
  certificateArn: matching('the ARN of a certificate of ACM', /^arn:[\w-]+:acm:[\w-]+:\d{12}:certificate\/[\w-]+$/),
  ordersTable: matching('the name of a DynamoDB table', /^[\w.-]{3,255}$/),
  env: TEXT,
} as const;

const ALL_FORMATS: Readonly<Record<string, Format<unknown>>> = {
  ...Object.fromEntries(SERVICE.map(([name, { format }]) => [name, format])),
  ...ORDER_FORMATS,
  ...FORMATS,
};

/** The names of all settings. */
export const NAMES = Object.keys(ALL_FORMATS);

const ofAllFunctions = SERVICE.filter(([, { forReads }]) => forReads).map(([name]) => name);

/** The names of the settings of orders, without `placeOrder`, which asks for all of these. */
export const ORDER_NAMES = NAMES.filter((name) => !(name in FORMATS) && !ofAllFunctions.includes(name));

/** The values of settings, by their names; `undefined` where one is left out or malformed. */
type ValuesOf<T extends Readonly<Record<string, Format<unknown>>>> = {
  readonly [Name in keyof T]: ReturnType<T[Name]['parse']>;
};

/** The values of the settings of the whole deployment. */
export type CommonValues = ValuesOf<typeof FORMATS>;

/** The values of all settings. */
export type Values = CommonValues & ValuesOf<typeof ORDER_FORMATS>;

/** Reads all settings. */
export function readValues(context: Context, attempt: Attempt): Values;
// A second signature, since no type follows a table through `Object.fromEntries`.
export function readValues(context: Context, attempt: Attempt): Context {
  const read = (name: string, format: Format<unknown>) => {
    const text = readText(context, name);
    return text === undefined ? undefined : parseText(text, name, format);
  };
  const formats = Object.entries(ALL_FORMATS);
  return Object.fromEntries(formats.map(([name, format]) => [name, attempt(() => read(name, format))]));
}

/** Returns the environment variables of a function's settings; a cap of `none` is left out. */
export function variablesOf(name: 'markets' | 'orders', context: Context): Readonly<Record<string, string>> {
  const rows = SERVICE.filter(([, { forReads }]) => name === 'orders' || forReads);
  // Only for caps: leaving out a list of subjects that is named `none` would let everybody order.
  const isNoCap = (setting: string) => ALL_FORMATS[setting] === CAP && context[setting] === NO_CAP;
  const told = rows.filter(([setting]) => context[setting] !== undefined && !isNoCap(setting));
  return Object.fromEntries(told.map(([setting, { name: variable }]) => [variable, String(context[setting])]));
}

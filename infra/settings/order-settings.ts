import { getAddress } from 'ethers/address';
import {
  AMOUNT,
  type Attempt,
  ConfigError,
  type Format,
  matching,
  oneOf,
  TEXT,
} from '../../shared/settings/formats.ts';
import {
  COMMON_SETTINGS,
  DEPLOYMENT_SETTINGS,
  ORDER_ACCESSES,
  type OrderAccess,
  type Setting,
} from '../../shared/settings/table.ts';
import { chooseAccount } from '../../shared/venue/polymarket/accounts.ts';
import { type Context, type Formats, requireOwn, type Target, type Values } from './context.ts';
import { RECOMMENDED_REGION, refusedRegion } from './regions.ts';

/**
 * Ways to a new version of the function of orders.
 * - `canary`: a tenth of the orders for five minutes, then all; back to the version before when an alarm rings meanwhile
 *   that a bad build can ring;
 * - `all-at-once`: at once, whatever the alarms say: for a mend while one rings, and for another wallet.
 */
const ROLLOUTS = ['canary', 'all-at-once'] as const;

/** Second confirmation for orders of everybody who has a wallet, or an account at the issuer of tokens. */
const PUBLIC_CONSENT = 'yes-anyone-may-order';

/** The word for a cap that is left out on purpose. */
const NO_CAP = 'none';

/** Creates the format of whole numbers from 1 to `most`. */
export function count(most: number): Format<number> {
  return {
    rule: `a whole number from 1 to ${most}`,
    parse: (text) => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most ? Number(text) : undefined),
  };
}

/** A cap, or the word that there is none. */
const CAP: Format<string> = {
  rule: `${AMOUNT.rule}, or ${NO_CAP}`,
  parse: (text) => (text === NO_CAP || AMOUNT.parse(text) ? text : undefined),
};

const ADDRESS: Format<string> = {
  rule: 'an address: 0x and 40 hex digits, in lower case or with a right checksum',
  parse: (text) => {
    try {
      return /^0x/.test(text) ? getAddress(text) : undefined;
    } catch {
      return undefined;
    }
  },
};

// The stack sets these by itself.
const { ordersTable, metricsNamespace, orderAccess, ...given } = DEPLOYMENT_SETTINGS;
const SERVICE: Readonly<Record<string, Setting>> = { ...given, ...COMMON_SETTINGS };

/** Returns the formats of settings as the functions of the service have them: else each request would be a bare 500. */
function formatsOf(isMeant: (setting: Setting) => boolean): Formats {
  const rows = Object.entries(SERVICE).filter(([, setting]) => isMeant(setting));
  return Object.fromEntries(rows.map(([name, { format }]) => [name, format]));
}

const isCommon = ({ functions = [] }: Setting) => functions.includes('markets');

/** The formats of the settings that every function is told. */
export const COMMON_FORMATS = formatsOf(isCommon);

const { placeOrder, ...TRADING } = formatsOf((setting) => !isCommon(setting));

/** The formats of the settings of orders, without `placeOrder`, which asks for all of these. */
export const ORDER_FORMATS = {
  ...TRADING,
  signatureType: COMMON_SETTINGS.signatureType.format,
  clientVerification: COMMON_SETTINGS.clientVerification.format,
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
};

type OrderValues = Values<typeof ORDER_FORMATS>;

/** All that placing orders takes: the settings, of which these are never `undefined`. Addresses are in EIP-55. */
export interface OrderSettings extends OrderValues {
  readonly region: string;
  readonly walletAddress: string;
  readonly privateKeySecret: string;
  readonly orderAccess: OrderAccess;
  readonly rollout: (typeof ROLLOUTS)[number];
  /** Variables for the function of orders, by the names of the service's settings. */
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** Returns the variables of the service that settings of these names are handed on as; a cap of `none` is left out. */
export function variablesOf(context: Context, formats: Formats): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.keys(formats).flatMap((name) => {
      const [text, variable] = [context[name], SERVICE[name]?.name];
      return text === undefined || text === NO_CAP || variable === undefined ? [] : [[variable, String(text)]];
    }),
  );
}

/** The settings without which there are no orders; a cap may be none, but not unnoticed. */
const NEEDED = {
  walletAddress: 'the address that the key belongs to: -c walletAddress=0x….',
  privateKeySecret: 'the name or ARN of a Secrets Manager secret that holds the key: -c privateKeySecret=NAME.',
  maxOrderNotional: 'the largest price times size of an order: -c maxOrderNotional=250, or none for no cap.',
} as const;

function requireGiven(context: Context, name: string, what: string): void {
  if (context[name] === undefined) throw new ConfigError(`placeOrder needs ${what}`);
}

function requireRegion(region: string | undefined): void {
  if (region === undefined) {
    throw new ConfigError(`Set the region of the orders function, such as -c region=${RECOMMENDED_REGION}.`);
  }
  const country = refusedRegion(region);
  if (country === undefined) return;
  throw new ConfigError(
    `The venue refuses orders from ${region} (${country}); deploy to another region: -c region=${RECOMMENDED_REGION} is closest to it.`,
  );
}

function refuseExample(name: string, address: string | undefined): void {
  if (/^0x(.)\1{39}$/i.test(address ?? '')) throw new ConfigError(`${name} is that of an example: give your own.`);
}

function checkSecret(nameOrArn: string, target: Target): void {
  // A key on a command line is in its history: say so, and never repeat it.
  if (/^(0x)?[0-9a-f]{64}$/i.test(nameOrArn)) {
    throw new ConfigError(
      'privateKeySecret takes the name of a secret, not the key; take a new key, this one was shown.',
    );
  }
  if (/^[\w/+=.@-]{1,512}$/.test(nameOrArn)) return;
  // Without its last six characters an ARN is good for the SDK, and no policy allows it.
  if (!/^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/.test(nameOrArn)) {
    throw new ConfigError(
      'privateKeySecret must be the name of a Secrets Manager secret, or its whole ARN with the six characters at its end.',
    );
  }
  requireOwn('privateKeySecret', 'a secret', nameOrArn, target);
}

/** Chooses the account; the function would refuse a wrong one at its start, where every order is a bare 500. */
function readAccount(walletAddress: string, { signatureType, funderAddress }: OrderValues) {
  const names = { signatureType: 'signatureType', funderAddress: 'funderAddress' };
  const chosen = chooseAccount(walletAddress, { signatureType, funderAddress }, names);
  if (chosen.kind === 'mistake') throw new ConfigError(chosen.sentence);
  const isEoa = chosen.signatureType === 'eoa';
  return { signatureType: chosen.signatureType, warning: isEoa ? EOA_WARNING : chosen.warning };
}

const EOA_WARNING =
  'The account is the address of the key itself (eoa): the venue takes orders of such accounts only from its allowlist. A newer account is a deposit wallet: give its address as funderAddress.';

/** Checks who may send orders. Opening them takes caps, and a second word where nothing else bounds who comes. */
function checkAccess(context: Context, { orderAccess: access = 'iam', ...values }: OrderValues): void {
  if (access !== 'jwt' && values.orderSubjects !== undefined) {
    throw new ConfigError('orderSubjects goes with orderAccess=jwt.');
  }
  if (access === 'iam') {
    if (values.allowPublic === undefined) return;
    throw new ConfigError('allowPublic goes with orderAccess=public or jwt; leave it out.');
  }
  const isBounded = access === 'jwt' && (context['jwtScopes'] !== undefined || context['orderSubjects'] !== undefined);
  const choices = access === 'jwt' ? '-c jwtScopes=…, -c orderSubjects=… or ' : '';
  const isOpen = access === 'public' && values.clientVerification === 'off';
  const missing = [
    ...(['maxOrderNotional', 'maxDailyNotional'] as const)
      .filter((name) => values[name] === undefined || values[name] === NO_CAP)
      .map((name) => `-c ${name}=… (a number)`),
    ...(isOpen ? ['-c clientVerification=required'] : []),
    ...(isBounded || context['allowPublic'] !== undefined ? [] : [`${choices}-c allowPublic=${PUBLIC_CONSENT}`]),
  ];
  if (missing.length === 0) return;
  const who = access === 'jwt' ? 'everybody who gets a token of the issuer' : 'everybody who knows the URL';
  throw new ConfigError(`orderAccess=${access} needs ${missing.join(', ')}: ${who} can send orders.`);
}

function warningsOf(context: Context, { orderAccess, walletAddress }: OrderValues): readonly string[] {
  const warnings: readonly (readonly [boolean, string])[] = [
    [
      context['alarmTopic'] === undefined,
      'alarmTopic is not set: alarms about orders ring and nobody is told; give the ARN of an SNS topic.',
    ],
    [context['maxOrderNotional'] === NO_CAP, 'maxOrderNotional=none: no order is too large for this deployment.'],
    [
      context['maxDailyNotional'] === undefined,
      'maxDailyNotional is not set: nothing bounds what the orders of a day may cost; give a number, or none.',
    ],
    [
      context['clientVerification'] === 'off',
      'clientVerification=off: X-Client-Address is a claim that nobody checks. The specification of the service asks a production deployment to verify a wallet signature of the claimed address.',
    ],
    [
      orderAccess === 'public',
      `orderAccess=public: everybody who knows the URL and has a wallet can trade with the money of ${walletAddress}, up to the daily cap.`,
    ],
  ];
  return warnings.flatMap(([isMeant, sentence]) => (isMeant ? [sentence] : []));
}

/** Completes what placing orders needs; `attempt` collects what is missing or cannot work. */
export function readOrderSettings(
  context: Context,
  values: OrderValues,
  target: Target,
  attempt: Attempt,
): OrderSettings | undefined {
  const { region } = target;
  const { walletAddress, privateKeySecret, orderAccess = 'iam', rollout = 'canary' } = values;
  // One that is malformed was refused already.
  if (region !== undefined || context['region'] === undefined) attempt(() => requireRegion(region));
  for (const [name, what] of Object.entries(NEEDED)) attempt(() => requireGiven(context, name, what));
  for (const name of ['walletAddress', 'funderAddress'] as const) attempt(() => refuseExample(name, values[name]));
  if (privateKeySecret !== undefined) attempt(() => checkSecret(privateKeySecret, target));
  attempt(() => requireOwn('secretKeyArn', 'a KMS key (no alias)', values.secretKeyArn, { region }));
  attempt(() => checkAccess(context, values));
  const chosen = walletAddress === undefined ? undefined : attempt(() => readAccount(walletAddress, values));
  if (!region || !walletAddress || !privateKeySecret || !chosen) return undefined;
  const variables = {
    ...variablesOf(context, ORDER_FORMATS),
    SERVICE_CLIENT_VERIFICATION: values.clientVerification ?? 'required',
    SERVICE_SIGNATURE_TYPE: chosen.signatureType,
  };
  const warnings = [...warningsOf(context, values), ...(chosen.warning === undefined ? [] : [chosen.warning])];
  return { ...values, region, walletAddress, privateKeySecret, orderAccess, rollout, variables, warnings };
}

/** Returns the variables by which functions know the wallet that the deployment trades with, in one form of addresses. */
export function walletVariables({ walletAddress, funderAddress, orderAccess }: OrderSettings) {
  return {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: funderAddress }),
    SERVICE_ORDER_ACCESS: orderAccess,
  };
}

import { getAddress } from 'ethers/address';
import { type Attempt, ConfigError } from '../../shared/settings/formats.ts';
import { ORDER_ACCESSES, type OrderAccess, SIGNATURE_TYPES } from '../../shared/settings/table.ts';
import { chooseAccount } from '../../shared/venue/polymarket/accounts.ts';
import {
  type Context,
  OPTIONS,
  readArn,
  readCount,
  readOneOf,
  readText,
  readVariables,
  requireOwn,
  type Target,
} from './context.ts';
import { RECOMMENDED_REGION, refusedRegion } from './regions.ts';

/**
 * Ways to a new version of the function of orders.
 * - `canary`: a tenth of the orders for five minutes, then all; back to the version before when an alarm rings meanwhile
 *   that a bad build can ring;
 * - `all-at-once`: at once, whatever the alarms say: for a mend while one rings, and for another wallet.
 */
const ROLLOUTS = ['canary', 'all-at-once'] as const;
/** A way to a new version. */
export type Rollout = (typeof ROLLOUTS)[number];

/** All that placing orders takes. */
export interface OrderSettings {
  readonly region: string;
  /** EIP-55. */
  readonly walletAddress: string;
  /** The account that holds the funds, where it is not the wallet's own. */
  readonly funderAddress: string | undefined;
  readonly secret: {
    readonly nameOrArn: string;
    /** The KMS key that encrypts it, where that is the operator's own. */
    readonly keyArn: string | undefined;
  };
  readonly rollout: Rollout;
  readonly access: OrderAccess;
  /** Orders handled at the same time; `undefined` reserves nothing. */
  readonly concurrency: number | undefined;
  /** Variables for the function of orders, by the names of the service's settings. */
  readonly variables: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

/** The settings of which readers are told nothing. */
const TRADING = OPTIONS.filter(({ functions }) => !functions.includes('markets'));

/** The names of the settings of orders, without `placeOrder`, which asks for all of these. */
export const ORDER_SETTING_NAMES = [
  ...TRADING.map(({ option }) => option).filter((option) => option !== 'placeOrder'),
  'orderAccess',
  'allowPublic',
  'orderConcurrency',
  'rollout',
  'secretKeyArn',
];

/** Second confirmation for orders of everybody who has a wallet, or an account at the issuer of tokens. */
const PUBLIC_CONSENT = 'yes-anyone-may-order';

/** The word for a cap that is left out on purpose. */
const NO_CAP = 'none';

function readRegion(region: string | undefined): string {
  if (region === undefined) {
    throw new ConfigError(`Set the region of the orders function, such as -c region=${RECOMMENDED_REGION}.`);
  }
  const country = refusedRegion(region);
  if (country === undefined) return region;
  throw new ConfigError(
    `The venue refuses orders from ${region} (${country}); deploy to another region: -c region=${RECOMMENDED_REGION} is closest to it.`,
  );
}

function readAddress(context: Context, name: string): string | undefined {
  const text = readText(context, name);
  if (text === undefined) return undefined;
  if (/^0x(.)\1{39}$/.test(text)) throw new ConfigError(`${name} is that of an example: give your own.`);
  try {
    if (/^0x/.test(text)) return getAddress(text);
  } catch {
    // Wrong digits or a wrong checksum: the same sentence says what to do.
  }
  throw new ConfigError(`${name} must be an address: 0x and 40 hex digits, in lower case or with a right checksum.`);
}

function readWallet(context: Context): string {
  const address = readAddress(context, 'walletAddress');
  if (address !== undefined) return address;
  throw new ConfigError('placeOrder needs the address that the key belongs to: -c walletAddress=0x….');
}

function readSecretName(context: Context, target: Target): string {
  const text = readText(context, 'privateKeySecret');
  if (text === undefined) {
    throw new ConfigError(
      'placeOrder needs the name or ARN of a Secrets Manager secret that holds the key: -c privateKeySecret=NAME.',
    );
  }
  // A key on a command line is in its history: say so, and never repeat it.
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) {
    throw new ConfigError(
      'privateKeySecret takes the name of a secret, not the key; take a new key, this one was shown.',
    );
  }
  if (/^[\w/+=.@-]{1,512}$/.test(text)) return text;
  // Without its last six characters an ARN is good for the SDK, and no policy allows it.
  if (!/^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/.test(text)) {
    throw new ConfigError(
      'privateKeySecret must be the name of a Secrets Manager secret, or its whole ARN with the six characters at its end.',
    );
  }
  requireOwn('privateKeySecret', 'a secret', text, target);
  return text;
}

/** Chooses the account; the function would refuse a wrong one at its start, where every order is a bare 500. */
function readAccount(context: Context, walletAddress: string) {
  const signatureType = readOneOf(context, 'signatureType', SIGNATURE_TYPES);
  const funderAddress = readAddress(context, 'funderAddress');
  const names = { signatureType: 'signatureType', funderAddress: 'funderAddress' };
  const chosen = chooseAccount(walletAddress, { signatureType, funderAddress }, names);
  if (chosen.kind === 'mistake') throw new ConfigError(chosen.sentence);
  const isEoa = chosen.signatureType === 'eoa';
  return { funderAddress, signatureType: chosen.signatureType, warning: isEoa ? EOA_WARNING : chosen.warning };
}

const EOA_WARNING =
  'The account is the address of the key itself (eoa): the venue takes orders of such accounts only from its allowlist. A newer account is a deposit wallet: give its address as funderAddress.';

/** Asks for the cap or for the word that there is none, so that none is lost unnoticed. */
function requireCap(context: Context): void {
  if (readText(context, 'maxOrderNotional') !== undefined) return;
  throw new ConfigError(
    'placeOrder needs the largest price times size of an order: -c maxOrderNotional=250, or none for no cap.',
  );
}

function isCapped(context: Context, name: string): boolean {
  const cap = readText(context, name);
  return cap !== undefined && cap !== NO_CAP;
}

/** Reads who may send orders. Opening them takes caps, and a second word where nothing else bounds who comes. */
function readAccess(context: Context): OrderAccess {
  const access = readOneOf(context, 'orderAccess', ORDER_ACCESSES) ?? 'iam';
  const consent = readOneOf(context, 'allowPublic', [PUBLIC_CONSENT]);
  if (access !== 'jwt' && readText(context, 'orderSubjects') !== undefined) {
    throw new ConfigError('orderSubjects goes with orderAccess=jwt.');
  }
  if (access === 'iam') {
    if (consent === undefined) return access;
    throw new ConfigError('allowPublic goes with orderAccess=public or jwt; leave it out.');
  }
  const missing = [
    ...['maxOrderNotional', 'maxDailyNotional'].flatMap((name) =>
      isCapped(context, name) ? [] : [`-c ${name}=… (a number)`],
    ),
    ...(access === 'public' && readText(context, 'clientVerification') === 'off'
      ? ['-c clientVerification=required']
      : []),
    ...(consent === undefined &&
    (access === 'public' || !['jwtScopes', 'orderSubjects'].some((name) => readText(context, name) !== undefined))
      ? [`${access === 'jwt' ? '-c jwtScopes=…, -c orderSubjects=… or ' : ''}-c allowPublic=${PUBLIC_CONSENT}`]
      : []),
  ];
  if (missing.length === 0) return access;
  const who = access === 'jwt' ? 'everybody who gets a token of the issuer' : 'everybody who knows the URL';
  throw new ConfigError(`orderAccess=${access} needs ${missing.join(', ')}: ${who} can send orders.`);
}

function readConcurrency(context: Context): number | undefined {
  // The gateway's throttle bounds orders already, and a new account has no quota to reserve from.
  return readText(context, 'orderConcurrency') === 'none' ? undefined : readCount(context, 'orderConcurrency', 1_000);
}

/** Returns the context without the words for no cap. */
function withoutNoCap(context: Context): Context {
  return Object.fromEntries(
    Object.entries(context).filter(([name, value]) => !(/^max\w+Notional$/.test(name) && value === NO_CAP)),
  );
}

function warningsOf(context: Context, access: OrderAccess, walletAddress: string): readonly string[] {
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
      access === 'public',
      `orderAccess=public: everybody who knows the URL and has a wallet can trade with the money of ${walletAddress}, up to the daily cap.`,
    ],
  ];
  return warnings.flatMap(([isMeant, sentence]) => (isMeant ? [sentence] : []));
}

/** Reads what placing orders needs; `attempt` collects what is missing or cannot work. */
export function readOrderSettings(
  context: Context,
  { account, region: unresolved }: Target,
  attempt: Attempt,
): OrderSettings | undefined {
  // One that is malformed was refused already.
  const isMalformed = unresolved === undefined && context['region'] !== undefined;
  const region = isMalformed ? undefined : attempt(() => readRegion(unresolved));
  const target = { account, region };
  const walletAddress = attempt(() => readWallet(context));
  const nameOrArn = attempt(() => readSecretName(context, target));
  const keyForm = /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/;
  const keyArn = attempt(() => readArn(context, 'secretKeyArn', 'a KMS key (no alias)', keyForm, { region }));
  attempt(() => requireCap(context));
  const access = attempt(() => readAccess(context));
  const rollout = attempt(() => readOneOf(context, 'rollout', ROLLOUTS) ?? 'canary');
  const concurrency = attempt(() => readConcurrency(context));
  const told = attempt(() => readVariables(withoutNoCap(context), TRADING));
  const chosen = walletAddress === undefined ? undefined : attempt(() => readAccount(context, walletAddress));
  if (!region || !walletAddress || !nameOrArn || !access || !rollout || !chosen) return undefined;
  const { funderAddress, signatureType, warning } = chosen;
  return {
    region,
    walletAddress,
    funderAddress,
    secret: { nameOrArn, keyArn },
    rollout,
    access,
    concurrency,
    // Addresses are handed on in one form, whatever the operator wrote.
    variables: {
      ...told,
      SERVICE_CLIENT_VERIFICATION: readText(context, 'clientVerification') ?? 'required',
      SERVICE_SIGNATURE_TYPE: signatureType,
    },
    warnings: [...warningsOf(context, access, walletAddress), ...(warning === undefined ? [] : [warning])],
  };
}

/** Returns the variables by which functions know the wallet that the deployment trades with. */
export function walletVariables({ walletAddress, funderAddress, access }: OrderSettings) {
  return {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: funderAddress }),
    SERVICE_ORDER_ACCESS: access,
  };
}

import { getAddress } from 'ethers/address';
import { ConfigError } from '../../shared/settings/formats.ts';
import { SIGNATURE_TYPES } from '../../shared/settings/table.ts';
import { chooseAccount } from '../../shared/venue/polymarket/accounts.ts';
import {
  type Context,
  OPTIONS,
  readOneOf,
  readText,
  readValid,
  readVariables,
  requireSameRegion,
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
export type Rollout = (typeof ROLLOUTS)[number];

/**
 * Callers that may send orders: those that sign their requests with AWS credentials, those with a token of an issuer (the
 * gateway's own JWT authorizer), or all.
 */
type OrderAccess =
  | { readonly kind: 'iam' }
  | { readonly kind: 'public' }
  | { readonly kind: 'jwt'; readonly issuer: string; readonly audience: string };

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
  /** A restored table to go on with. */
  readonly ordersTable: string | undefined;
  readonly rollout: Rollout;
  readonly access: OrderAccess;
  /** Orders handled at the same time; `undefined` reserves nothing. */
  readonly concurrency: number | undefined;
  /** A sentence about an account that the key may not control. */
  readonly accountWarning: string | undefined;
  /** Variables for the function of orders, by the names of the service's settings. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The settings of which readers are told nothing. */
const TRADING = OPTIONS.filter(({ functions }) => !functions.includes('markets'));

/** The names of the settings of orders, without `placeOrder`, which asks for all of these. */
export const ORDER_SETTING_NAMES = [
  ...TRADING.map(({ option }) => option).filter((option) => option !== 'placeOrder'),
  'orderAccess',
  'allowPublic',
  'jwtIssuer',
  'jwtAudience',
  'orderConcurrency',
  'rollout',
  'secretKeyArn',
  'ordersTable',
];

/** Second confirmation for public orders. */
const PUBLIC_CONSENT = 'yes-anyone-may-order';

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
  try {
    if (/^0x/.test(text)) return getAddress(text);
  } catch {
    // Wrong digits or a wrong checksum: the same sentence says what to do.
  }
  throw new ConfigError(`${name} must be an address: 0x and 40 hex digits, in lower case or with a right checksum.`);
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
  requireSameRegion('privateKeySecret', 'a secret', text, target);
  return text;
}

function readSecretKey(context: Context, region: string): string | undefined {
  const valid = (text: string) => /^arn:[\w-]+:kms:[\w-]+:\d{12}:key\/[\w-]+$/.test(text);
  const arn = readValid(context, 'secretKeyArn', { valid, rule: 'the ARN of a KMS key (no alias)' });
  if (arn !== undefined) requireSameRegion('secretKeyArn', 'a key', arn, { region });
  return arn;
}

/** The function would refuse a wrong account at its start, where every order is a bare 500. */
function readAccount(
  context: Context,
  walletAddress: string,
): Pick<OrderSettings, 'funderAddress' | 'accountWarning' | 'variables'> {
  const signatureType = readOneOf(context, 'signatureType', SIGNATURE_TYPES);
  const funderAddress = readAddress(context, 'funderAddress');
  const names = { signatureType: 'signatureType', funderAddress: 'funderAddress' };
  const chosen = chooseAccount(walletAddress, { signatureType, funderAddress }, names);
  if (chosen.kind === 'mistake') throw new ConfigError(chosen.sentence);
  // Handed on in one form, whatever the operator wrote.
  const variables = {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    SERVICE_SIGNATURE_TYPE: chosen.signatureType,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: funderAddress }),
  };
  return { funderAddress, accountWarning: chosen.warning, variables };
}

/** The word for a cap that is left out on purpose. */
export const NO_CAP = 'none';

/** Asks for the cap or for the word that there is none, so that none is lost unnoticed; returns the context without the words. */
function readCaps(context: Context): Context {
  const { maxOrderNotional, maxDailyNotional } = context;
  if (readText(context, 'maxOrderNotional') === undefined) {
    throw new ConfigError(
      'placeOrder needs the largest price times size of an order: -c maxOrderNotional=250, or none for no cap.',
    );
  }
  const caps = Object.entries({ maxOrderNotional, maxDailyNotional });
  return { ...context, ...Object.fromEntries(caps.map(([name, cap]) => [name, cap === NO_CAP ? undefined : cap])) };
}

/** Refuses public orders that are not bounded, or not confirmed. */
function requireConsent(context: Context, isPublic: boolean): void {
  const consent = readOneOf(context, 'allowPublic', [PUBLIC_CONSENT]);
  if (!isPublic) {
    if (consent !== undefined) throw new ConfigError('allowPublic goes with orderAccess=public; leave it out.');
    return;
  }
  const everybody = 'everybody who knows the URL can send orders.';
  const isBounded =
    readText(context, 'clientVerification') === 'required' && readText(context, 'maxDailyNotional') !== undefined;
  if (!isBounded) {
    throw new ConfigError(
      `orderAccess=public needs -c clientVerification=required and -c maxDailyNotional=…: ${everybody}`,
    );
  }
  if (readText(context, 'maxOrderNotional') === undefined) {
    throw new ConfigError(`orderAccess=public needs -c maxOrderNotional=… that is not none: ${everybody}`);
  }
  if (consent === undefined) {
    throw new ConfigError(`orderAccess=public needs -c allowPublic=${PUBLIC_CONSENT} too: ${everybody}`);
  }
}

/** Reads who may send orders. Opening them to all takes a wallet signature of each client, caps, and a second word. */
function readAccess(context: Context): OrderAccess {
  const kind = readOneOf(context, 'orderAccess', ['iam', 'jwt', 'public']) ?? 'iam';
  const isIssuer = (text: string) => /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/.test(text);
  const issuer = readValid(context, 'jwtIssuer', { valid: isIssuer, rule: 'an https URL' });
  const audience = readText(context, 'jwtAudience');
  requireConsent(context, kind === 'public');
  if (kind === 'jwt') {
    if (issuer !== undefined && audience !== undefined) return { kind, issuer, audience };
    throw new ConfigError(
      'orderAccess=jwt needs -c jwtIssuer=https://… and -c jwtAudience=…, as the tokens name them.',
    );
  }
  if (issuer !== undefined || audience !== undefined) {
    throw new ConfigError('jwtIssuer and jwtAudience go with orderAccess=jwt; leave them out.');
  }
  return { kind };
}

function readConcurrency(context: Context): number | undefined {
  const rule = 'a number from 1 to 1000, or none to reserve nothing';
  const valid = (text: string) => text === 'none' || (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1000);
  // The gateway's throttle bounds orders already, and a new account has no quota to reserve from.
  const text = readValid(context, 'orderConcurrency', { valid, rule }) ?? 'none';
  return text === 'none' ? undefined : Number(text);
}

function readTable(context: Context): string | undefined {
  const valid = (text: string) => /^[\w.-]{3,255}$/.test(text);
  return readValid(context, 'ordersTable', { valid, rule: 'the name of a DynamoDB table' });
}

/** Reads what placing orders needs; throws `ConfigError` where it is missing or cannot work. */
export function readOrderSettings(asked: Context, { account, region: unresolved }: Target): OrderSettings {
  const region = readRegion(unresolved);
  const walletAddress = readAddress(asked, 'walletAddress');
  if (walletAddress === undefined) {
    throw new ConfigError('placeOrder needs the address that the key belongs to: -c walletAddress=0x….');
  }
  const nameOrArn = readSecretName(asked, { account, region });
  const context = readCaps(asked);
  const { funderAddress, accountWarning, variables } = readAccount(context, walletAddress);
  return {
    region,
    walletAddress,
    funderAddress,
    secret: { nameOrArn, keyArn: readSecretKey(context, region) },
    ordersTable: readTable(context),
    rollout: readOneOf(context, 'rollout', ROLLOUTS) ?? 'canary',
    access: readAccess(context),
    concurrency: readConcurrency(context),
    accountWarning,
    variables: { ...readVariables(context, TRADING), ...variables },
  };
}

import { getAddress } from 'ethers/address';
import { chooseAccount } from '../shared/accounts.ts';
import { SIGNATURE_TYPES } from '../shared/settings.ts';
import { type Context, OPTIONS, readOneOf, readText, readValid, readVariables, SettingError } from './context.ts';
import { RECOMMENDED_REGION, refusedPlace } from './regions.ts';

/**
 * Callers that may send orders: those that sign their requests with AWS credentials, those with a token of an issuer (the
 * gateway's own JWT authorizer), or all.
 */
export type OrderAccess =
  | { readonly kind: 'iam' }
  | { readonly kind: 'public' }
  | { readonly kind: 'jwt'; readonly issuer: string; readonly audience: string };

export interface OrderSettings {
  readonly region: string;
  /** EIP-55. */
  readonly walletAddress: string;
  /** Name or ARN. */
  readonly privateKeySecret: string;
  readonly access: OrderAccess;
  /** Orders handled at the same time; `undefined` reserves nothing. */
  readonly concurrency: number | undefined;
  /** Variables of the account for health and orders, by the names of the service's settings. */
  readonly account: Readonly<Record<string, string>>;
  /** A sentence about an account that the key may not control. */
  readonly accountWarning: string | undefined;
  /** Variables for orders alone. */
  readonly variables: Readonly<Record<string, string>>;
}

/** The settings of which readers are told nothing. */
const TRADING = OPTIONS.filter(({ functions }) => !functions.includes('markets'));

const ACCOUNT = TRADING.filter(({ functions }) => functions.includes('health'));
const ORDERS_ALONE = TRADING.filter(({ functions }) => !functions.includes('health'));

/** Without `placeOrder`, which asks for all of these. */
export const ORDER_SETTING_NAMES = [
  ...TRADING.map(({ option }) => option).filter((option) => option !== 'placeOrder'),
  'orderAccess',
  'jwtIssuer',
  'jwtAudience',
  'orderConcurrency',
];

/** Enough for the venue's 40 orders a second and signer at 250 ms each, and a bound on what a runaway caller can spend. */
const DEFAULT_CONCURRENCY = 10;

function readRegion(region: string | undefined): string {
  if (region === undefined) {
    throw new SettingError(`Set the region of the orders function, such as -c region=${RECOMMENDED_REGION}.`);
  }
  const place = refusedPlace(region);
  if (place === undefined) return region;
  throw new SettingError(
    `The venue refuses orders from ${region} (${place}); deploy to another region: -c region=${RECOMMENDED_REGION} is closest to it.`,
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
  throw new SettingError(`${name} must be an address: 0x and 40 hex digits, in lower case or with a right checksum.`);
}

function readSecretName(context: Context, region: string): string {
  const text = readText(context, 'privateKeySecret');
  if (text === undefined) {
    throw new SettingError(
      'placeOrder needs the name or ARN of a Secrets Manager secret that holds the key: -c privateKeySecret=NAME.',
    );
  }
  // A key on a command line is in its history: say so, and never repeat it.
  if (/^(0x)?[0-9a-f]{64}$/i.test(text)) {
    throw new SettingError(
      'privateKeySecret takes the name of a secret, not the key; take a new key, this one was shown.',
    );
  }
  const arn = /^arn:[\w-]+:secretsmanager:(?<region>[\w-]+):\d{12}:secret:[\w/+=.@-]+$/.exec(text);
  if (!arn && !/^[\w/+=.@-]{1,512}$/.test(text)) {
    throw new SettingError('privateKeySecret must be the name or the ARN of a Secrets Manager secret.');
  }
  if (arn && arn.groups?.['region'] !== region) {
    throw new SettingError(
      `privateKeySecret must be a secret of ${region}, where the orders function runs; replicate it.`,
    );
  }
  return text;
}

/** The function would refuse a wrong account at its start, where every order is a bare 500. */
function readAccount(context: Context, walletAddress: string): Pick<OrderSettings, 'account' | 'accountWarning'> {
  const signatureType = readOneOf(context, 'signatureType', SIGNATURE_TYPES);
  const funderAddress = readAddress(context, 'funderAddress');
  const names = { signatureType: 'signatureType', funderAddress: 'funderAddress' };
  const chosen = chooseAccount(walletAddress, { signatureType, funderAddress }, names);
  if (chosen.kind === 'mistake') throw new SettingError(chosen.sentence);
  const account = {
    ...readVariables(context, ACCOUNT),
    // What was read above is handed on in one form, whatever the operator wrote.
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    SERVICE_SIGNATURE_TYPE: chosen.signatureType,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: funderAddress }),
  };
  return { account, accountWarning: chosen.warning };
}

/** Reads who may send orders. Opening them to all takes a wallet signature of each client, and a cap for the day. */
function readAccess(context: Context): OrderAccess {
  const kind = readOneOf(context, 'orderAccess', ['iam', 'jwt', 'public']) ?? 'iam';
  const isIssuer = (text: string) => /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/.test(text);
  const issuer = readValid(context, 'jwtIssuer', { valid: isIssuer, rule: 'an https URL' });
  const audience = readText(context, 'jwtAudience');
  if (kind === 'jwt') {
    if (issuer !== undefined && audience !== undefined) return { kind, issuer, audience };
    throw new SettingError(
      'orderAccess=jwt needs -c jwtIssuer=https://… and -c jwtAudience=…, as the tokens name them.',
    );
  }
  if (issuer !== undefined || audience !== undefined) {
    throw new SettingError('jwtIssuer and jwtAudience go with orderAccess=jwt; leave them out.');
  }
  const isBounded =
    readText(context, 'clientVerification') === 'required' && readText(context, 'maxDailyNotional') !== undefined;
  if (kind === 'public' && !isBounded) {
    throw new SettingError(
      'orderAccess=public needs -c clientVerification=required and -c maxDailyNotional=…: everybody who knows the URL can send orders.',
    );
  }
  return { kind };
}

function readConcurrency(context: Context): number | undefined {
  const rule = 'a number from 1 to 1000, or none to reserve nothing';
  const valid = (text: string) => text === 'none' || (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1000);
  const text = readValid(context, 'orderConcurrency', { valid, rule }) ?? String(DEFAULT_CONCURRENCY);
  return text === 'none' ? undefined : Number(text);
}

/** Reads what placing orders needs; throws `SettingError` where it is missing or cannot work. */
export function readOrderSettings(context: Context, unresolvedRegion: string | undefined): OrderSettings {
  const region = readRegion(unresolvedRegion);
  const walletAddress = readAddress(context, 'walletAddress');
  if (walletAddress === undefined) {
    throw new SettingError('placeOrder needs the address that the key belongs to: -c walletAddress=0x….');
  }
  return {
    region,
    walletAddress,
    privateKeySecret: readSecretName(context, region),
    access: readAccess(context),
    concurrency: readConcurrency(context),
    ...readAccount(context, walletAddress),
    variables: readVariables(context, ORDERS_ALONE),
  };
}

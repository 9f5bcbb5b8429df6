import { getAddress, isAddress } from 'ethers/address';
import { compareDecimals, type Decimal } from '../../shared/decimal.ts';
import { INDEXES } from '../../shared/orders/table-layout.ts';
import { ConfigError, type Sentence, sentencesOf } from '../../shared/settings/formats.ts';
import { orderRules } from '../../shared/settings/rules.ts';
import { inSettings, type ValuesOf } from '../../shared/settings/table.ts';
import { type ChosenAccount, chooseAccount, EOA_WARNING } from '../../shared/venue/polymarket/accounts.ts';
import { REFUSED_REGION } from '../../shared/venue/polymarket/regions.ts';
import type { CONTEXT } from './table.ts';

/** What the rules of a deployment look at. */
export interface Asked {
  /** A malformed setting counts as absent here, and so does a cap that is declined with `none`. */
  readonly values: ValuesOf<typeof CONTEXT>;
  /** The region of the deployment, as far as synth can know it. */
  readonly region: string | undefined;
  readonly isGiven: (name: keyof typeof CONTEXT) => boolean;
}

/** The account that a deployment trades with, or what is wrong with it. */
type ChosenOrProblem = { readonly chosen?: ChosenAccount; readonly problem?: string };

function accountOf({ walletAddress, signatureType, funderAddress }: Asked['values']): ChosenOrProblem {
  if (walletAddress === undefined) return {};
  if (!isAddress(walletAddress)) {
    return { problem: 'walletAddress has a wrong checksum: check it, or write it in lower case.' };
  }
  try {
    return { chosen: chooseAccount(walletAddress, { signatureType, funderAddress }) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problem: inSettings(error.message) };
  }
}

/** Returns sentences on settings of orders that are missing or contradict each other. */
export function orderProblems(asked: Asked): readonly Sentence[] {
  const { values, region, isGiven } = asked;
  const { orderAccess, maxOrderNotional, maxDailyNotional } = values;
  return [
    !region && !isGiven('region') && 'region is required with orders: eu-west-1 is closest to the venue.',
    region && REFUSED_REGION.test(region) && `The venue refuses orders from ${region}; eu-west-1 is closest to it.`,
    !isGiven('walletAddress') && 'walletAddress is required with orders: the only address to trade with.',
    !isGiven('privateKeySecret') &&
      !isGiven('kmsKey') &&
      'privateKeySecret or kmsKey is required with orders: the name of the secret that holds the key, or a key of KMS.',
    ...sentencesOf(orderRules(values)).map(inSettings),
    !isGiven('maxOrderNotional') && 'maxOrderNotional is required with orders: an amount, or none for no cap.',
    orderAccess !== 'iam' &&
      !(maxOrderNotional && maxDailyNotional) &&
      `orderAccess=${orderAccess} needs an amount as maxOrderNotional and as maxDailyNotional.`,
    orderAccess === 'public' &&
      values.clientVerification === 'off' &&
      'orderAccess=public needs clientVerification=required.',
    accountOf(values).problem,
  ];
}

/** Returns who may trade where the gateway lets strangers through; `undefined` where scopes or a list bound them. */
function strangersOf({ orderAccess, allowedClients, jwtScopes }: Asked['values']): Sentence {
  const isListed = allowedClients !== undefined && allowedClients.length > 0;
  if (orderAccess === 'public') return isListed ? 'the listed clients, from anywhere,' : 'anyone who knows the URL';
  return orderAccess === 'jwt' && !isListed && !jwtScopes && 'anyone who gets a token of the issuer';
}

function warningsOf({ values, isGiven }: Asked, { signatureType, warning }: ChosenAccount): readonly string[] {
  const { maxOrderNotional, maxDailyNotional: daily, maxDailyNotionalPerClient: perClient, orderAccess } = values;
  const isAbove = (cap: Decimal | undefined) => cap && daily && compareDecimals(cap, daily) > 0;
  const strangers = strangersOf(values);
  return sentencesOf([
    !isGiven('alarmTopic') && 'alarmTopic is not set, so order alarms notify nobody; give the ARN of an SNS topic.',
    !isGiven('maxDailyNotional') &&
      'maxDailyNotional is not set: nothing bounds what the orders of a day may cost; give a number, or none.',
    values.clientVerification === 'off' &&
      'clientVerification=off: X-Client-Address is an unverified claim. The specification of the service asks a production deployment to verify a wallet signature of the claimed address.',
    strangers && `orderAccess=${orderAccess}: ${strangers} can trade up to the caps.`,
    isAbove(maxOrderNotional) && 'maxOrderNotional is above maxDailyNotional, which refuses a purchase first.',
    isAbove(perClient) && 'maxDailyNotionalPerClient is above maxDailyNotional, which refuses a purchase first.',
    /^(?:warn|error)$/.test(values.logLevel) &&
      `logLevel=${values.logLevel}: requests that succeed have no line, so the dashboard shows no times by part.`,
    values.fillsTopic !== undefined &&
      values.ordersTable !== undefined &&
      `fillsTopic with ordersTable: that table needs the indexes ${INDEXES.order.name} and ${INDEXES.signing.name} (docs/operations.md, "Restoring the table").`,
    values.fillsTopic !== undefined &&
      values.kmsKey !== undefined &&
      values.credentialsSecret === undefined &&
      'fillsTopic with kmsKey: without credentialsSecret each run signs, 43,200 times a month.',
    values.kmsKey !== undefined &&
      /(?:^|:)alias\/aws\//.test(values.kmsKey) &&
      'kmsKey is a key of AWS, which signs no order: each one would be 503.',
    values.removal === 'destroy' &&
      'removal=destroy: deleting the stack deletes the table, whose keys prevent double orders.',
    signatureType === 'eoa' && inSettings(EOA_WARNING),
    warning && inSettings(warning),
  ]);
}

/** Completes the settings of orders, which `orderProblems` has found in order. Addresses are in EIP-55. */
export function completeOrders(asked: Asked, given: Readonly<Record<string, string>>) {
  const { values, region } = asked;
  const { privateKeySecret, kmsKey, funderAddress, orderAccess } = values;
  const { chosen } = accountOf(values);
  if (!region || !values.walletAddress || !(privateKeySecret ?? kmsKey) || !chosen) return undefined;
  const walletAddress = getAddress(values.walletAddress);
  /** The variables of the functions of health and of orders. */
  const walletVariables = {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: chosen.funderAddress }),
    SERVICE_ORDER_ACCESS: orderAccess,
    SERVICE_CLIENT_VERIFICATION: values.clientVerification,
  };
  const variables: typeof given = { ...given, ...walletVariables, SERVICE_SIGNATURE_TYPE: chosen.signatureType };
  return { ...values, region, walletAddress, walletVariables, variables, warnings: warningsOf(asked, chosen) };
}

export type OrderSettings = NonNullable<ReturnType<typeof completeOrders>>;

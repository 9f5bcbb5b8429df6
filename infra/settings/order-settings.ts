import { type Attempt, KEY_LIKE } from '../../shared/settings/formats.ts';
import { chooseAccount } from '../../shared/venue/polymarket/accounts.ts';
import { type Context, problemOfArn, refuse, type Sentence, said, type Target } from './context.ts';
import { NO_CAP, PUBLIC_CONSENT, type Values, variablesOf } from './formats.ts';
import { RECOMMENDED_REGION, refusedRegion } from './regions.ts';

/** Returns what is wrong with the name or ARN of the secret. */
function problemOfSecret(nameOrArn: string, target: Target): Sentence {
  // A key on a command line is in its history: say so, and never repeat it.
  if (KEY_LIKE.test(nameOrArn)) {
    return 'privateKeySecret takes the name of a secret, not the key; take a new key, this one was shown.';
  }
  if (/^[\w/+=.@-]{1,512}$/.test(nameOrArn)) return undefined;
  // The SDK accepts an ARN without its last six characters, but no policy matches it.
  if (!/^arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:[\w/+=.@-]+-[A-Za-z0-9]{6}$/.test(nameOrArn)) {
    return 'privateKeySecret must be the name of a Secrets Manager secret, or its whole ARN with the six characters at its end.';
  }
  return problemOfArn('privateKeySecret', 'a secret', nameOrArn, target);
}

/** Returns what is wrong about who may order. Beyond IAM it takes caps, and consent if nothing bounds the callers. */
function accessProblems(context: Context, { orderAccess = 'iam', ...values }: Values): readonly Sentence[] {
  const isJwt = orderAccess === 'jwt';
  const isBounded = isJwt && (context['jwtScopes'] !== undefined || context['orderSubjects'] !== undefined);
  const choices = isJwt ? '-c jwtScopes=…, -c orderSubjects=… or ' : '';
  const isUncapped = (name: 'maxOrderNotional' | 'maxDailyNotional') => (values[name] ?? NO_CAP) === NO_CAP;
  const missing = said([
    isUncapped('maxOrderNotional') && '-c maxOrderNotional=… (a number)',
    isUncapped('maxDailyNotional') && '-c maxDailyNotional=… (a number)',
    orderAccess === 'public' && values.clientVerification === 'off' && '-c clientVerification=required',
    !isBounded && context['allowPublic'] === undefined && `${choices}-c allowPublic=${PUBLIC_CONSENT}`,
  ]);
  const who = isJwt ? 'everybody who gets a token of the issuer' : 'everybody who knows the URL';
  return [
    !isJwt && values.orderSubjects !== undefined && 'orderSubjects goes with orderAccess=jwt.',
    (context['orderAccess'] ?? 'iam') === 'iam' &&
      values.allowPublic !== undefined &&
      'allowPublic goes with orderAccess=public or jwt; leave it out.',
    orderAccess !== 'iam' &&
      missing.length > 0 &&
      `orderAccess=${orderAccess} needs ${missing.join(', ')}: ${who} can send orders.`,
  ];
}

/** Returns what is missing or cannot work, besides malformed settings. To have no cap must be said. */
function problemsOf(context: Context, values: Values, target: Target): readonly Sentence[] {
  const { region } = target;
  const country = region && refusedRegion(region);
  const lacks = (name: string) => context[name] === undefined;
  return [
    !region && lacks('region') && `Set the region of the orders function, such as -c region=${RECOMMENDED_REGION}.`,
    country &&
      `The venue refuses orders from ${region} (${country}); deploy to another region: -c region=${RECOMMENDED_REGION} is closest to it.`,
    lacks('walletAddress') && 'placeOrder needs the address that the key belongs to: -c walletAddress=0x….',
    lacks('privateKeySecret') &&
      'placeOrder needs the name or ARN of a Secrets Manager secret that holds the key: -c privateKeySecret=NAME.',
    lacks('maxOrderNotional') &&
      'placeOrder needs the largest price times size of an order: -c maxOrderNotional=250, or none for no cap.',
    ...(['walletAddress', 'funderAddress'] as const).map(
      (name) => /^0x(.)\1{39}$/i.test(values[name] ?? '') && `${name} is that of an example: give your own.`,
    ),
    values.privateKeySecret !== undefined && problemOfSecret(values.privateKeySecret, target),
    // A key may be another account's.
    problemOfArn('secretKeyArn', 'a KMS key (no alias)', values.secretKeyArn, { region }),
    ...accessProblems(context, values),
  ];
}

function warningsOf(context: Context, { orderAccess, walletAddress, signatureType }: Values): readonly Sentence[] {
  return [
    context['alarmTopic'] === undefined &&
      'alarmTopic is not set: alarms about orders ring and nobody is told; give the ARN of an SNS topic.',
    context['maxOrderNotional'] === NO_CAP && 'maxOrderNotional=none: no order is too large for this deployment.',
    context['maxDailyNotional'] === undefined &&
      'maxDailyNotional is not set: nothing bounds what the orders of a day may cost; give a number, or none.',
    context['clientVerification'] === 'off' &&
      'clientVerification=off: X-Client-Address is a claim that nobody checks. The specification of the service asks a production deployment to verify a wallet signature of the claimed address.',
    orderAccess === 'public' &&
      `orderAccess=public: everybody who knows the URL and has a wallet can trade with the money of ${walletAddress}, up to the daily cap.`,
    signatureType === 'eoa' &&
      'The account is the address of the key itself (eoa): the venue takes orders of such accounts only from its allowlist. A newer account is a deposit wallet: give its address as funderAddress.',
  ];
}

/** Completes the settings of orders; `attempt` collects what is missing or cannot work. */
export function readOrderSettings(context: Context, values: Values, target: Target, attempt: Attempt) {
  const { region } = target;
  const { walletAddress, privateKeySecret, orderAccess = 'iam', rollout = 'canary' } = values;
  // Otherwise the function would refuse a wrong account at its start, and every order would be a bare 500.
  const names = { signatureType: 'signatureType', funderAddress: 'funderAddress' };
  attempt(() => refuse(problemsOf(context, values, target)));
  const chosen = walletAddress === undefined ? undefined : attempt(() => chooseAccount(walletAddress, values, names));
  if (!region || !walletAddress || !privateKeySecret || !chosen) return undefined;
  const { signatureType, warning } = chosen;
  return {
    ...values,
    region,
    // Addresses are in EIP-55.
    walletAddress,
    privateKeySecret,
    orderAccess,
    rollout,
    // All that the function of orders is told, by the names of the service's settings.
    variables: {
      ...variablesOf('orders', context),
      SERVICE_CLIENT_VERIFICATION: values.clientVerification ?? 'required',
      SERVICE_SIGNATURE_TYPE: signatureType,
    },
    warnings: said([...warningsOf(context, { ...values, signatureType }), warning]),
  };
}

/** All that placing orders takes. */
export type OrderSettings = NonNullable<ReturnType<typeof readOrderSettings>>;

/** Returns the environment variables that name the deployment's wallet, with all addresses in EIP-55. */
export function walletVariables({ walletAddress, funderAddress, orderAccess }: OrderSettings) {
  return {
    SERVICE_PLACE_ORDER: '1',
    SERVICE_WALLET_ADDRESS: walletAddress,
    ...(funderAddress !== undefined && { SERVICE_FUNDER_ADDRESS: funderAddress }),
    SERVICE_ORDER_ACCESS: orderAccess,
  };
}

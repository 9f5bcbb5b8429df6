import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { openSigningKey } from '#venue/accounts';
import { createSecretReader, parseSecret } from '../../functions/orders/wallet-key.ts';
import { readPaperSession } from '../../local/paper/session-file.ts';
import { withSettingsFile } from '../../local/service/settings-file.ts';
import type { ApiCredentials, SigningKey } from '../../shared/account.ts';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import type { ProxyEnv } from '../../shared/proxy.ts';
import type { Secret } from '../../shared/secret.ts';
import type { Config } from '../../shared/settings/config.ts';
import { CREDENTIAL_NAMES, completeCredentials } from '../../shared/settings/credentials.ts';
import { ConfigError, KEY_LIKE, TABLE_PREFIX } from '../../shared/settings/formats.ts';
import { readVariables } from '../../shared/settings/read.ts';
import { DEPLOYED, type Environment, SETTINGS } from '../../shared/settings/table.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';
import { UsageError } from '../command-line.ts';

/** An error that ends a command with exit code 1. Its message is for the operator and holds no secret. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
}

/** Creates a handler that throws a `DeskError` with the name of the caught error and a way to mend it. */
function unreadable(what: string, fix: string) {
  return (cause: unknown): never => {
    const why = cause instanceof Error ? cause.name : 'unknown';
    throw new DeskError(`${what} cannot be read (${why}): ${fix}.`, { cause });
  };
}

/** The account, the venue and the store that the desk works with. */
export interface Access extends Pick<Config, 'clobUrl' | 'gammaUrl' | 'funderAddress' | 'proxyEnv'> {
  /** The address of the wallet key, whose API credentials place the orders. */
  readonly address: string;
  readonly credentials: ApiCredentials | undefined;
  /** Opened only without API credentials. */
  readonly wallet: Wallet | undefined;
  /** The store of orders, as its setting names it. */
  readonly store: string;
  /** The region of a table, if it is not that of the environment. */
  readonly region?: string | undefined;
  /** True for a table with the index by the time of signing. */
  readonly index?: boolean;
}

/** The options that choose the service that a command is about. */
export type Where = Readonly<
  Partial<Record<'settings' | 'stack' | 'region', string | undefined>> & { readonly paper?: boolean }
>;

/** Throws `UsageError` for options that choose no one service. */
export function checkWhere({ settings, stack, region, paper = false }: Where): void {
  // A wallet key given as a name would be printed, and perhaps sent.
  if ([stack, settings].some((name) => name !== undefined && KEY_LIKE.test(name))) {
    throw new UsageError('--stack and --settings take names, not a key.');
  }
  if (stack === undefined && region !== undefined) throw new UsageError('--region needs --stack.');
  if (stack !== undefined && settings !== undefined) throw new UsageError('--settings and --stack exclude each other.');
  if (paper && (stack ?? settings) !== undefined) throw new UsageError('--paper excludes --settings and --stack.');
}

/** The outputs of a deployment's stack, by their names. */
const OUTPUTS = {
  table: 'OrdersTable',
  secret: 'WalletSecret',
  kmsKey: 'WalletKmsKey',
  address: 'WalletAddress',
  funder: 'FunderAddress',
  index: 'OrdersIndex',
} as const;

/** DescribeStacks and its attempts. */
const STACK_MS = { connect: 2_000, attempt: 5_000, all: 10_000 } as const;

const { privateKey, store, clobApiKey, clobApiSecret, clobApiPassphrase } = SETTINGS.local;
const { clobUrl, gammaUrl, funderAddress, walletAddress, kmsKey } = DEPLOYED;
const OWN = { clobUrl, gammaUrl, funderAddress, store, walletAddress, clobApiKey, clobApiSecret, clobApiPassphrase };

/** Reads the settings that the desk needs, without the wallet key. */
function readOwn(env: Environment, proxyEnv: ProxyEnv) {
  const { clobApiKey: key, clobApiSecret: secret, clobApiPassphrase: pass, ...own } = readVariables(env, OWN).values;
  const { walletAddress: address, ...rest } = own;
  return { address, credentials: completeCredentials([key, secret, pass]), rest: { ...rest, proxyEnv } };
}

/** Completes the signer's facts from its key, which is kept only without credentials. */
async function openSigner(
  { address, credentials }: { address: string | undefined; credentials: ApiCredentials | undefined },
  key: SigningKey | undefined,
  route: AwsRoute,
) {
  const wallet = key && (await openSigningKey(key, route));
  if (wallet && address && wallet.address.toLowerCase() !== address.toLowerCase()) {
    throw new ConfigError(`The wallet key is that of ${wallet.address}, not of ${address}.`);
  }
  const known = address ?? wallet?.address;
  if (known !== undefined && (credentials || wallet)) {
    return { address: known, credentials, wallet: credentials ? undefined : wallet };
  }
  throw new ConfigError(
    `SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set, or SERVICE_WALLET_ADDRESS with ${CREDENTIAL_NAMES.join(', ')}.`,
  );
}

function signingKeyOf(privateKey: Secret | undefined, kmsKey: string | undefined): SigningKey | undefined {
  return kmsKey === undefined ? privateKey && { privateKey } : { kmsKey };
}

async function openLocal(env: Environment, proxyEnv: ProxyEnv): Promise<Access> {
  const { address, credentials, rest } = readOwn(env, proxyEnv);
  const keys = credentials && address ? undefined : readVariables(env, { privateKey, kmsKey }).values;
  const key = signingKeyOf(keys?.privateKey, keys?.kmsKey);
  return { ...rest, ...(await openSigner({ address, credentials }, key, rest)) };
}

async function readOutputs(stack: string, route: AwsRoute): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient(awsClientOptions(2, STACK_MS, route));
  const described = client.send(new DescribeStacksCommand({ StackName: stack }), {
    abortSignal: AbortSignal.timeout(STACK_MS.all),
  });
  const fix = 'check its name, --region, the AWS credentials, and that these may call cloudformation:DescribeStacks';
  const { Stacks = [] } = await described.catch(unreadable(`The stack ${stack}`, fix));
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

async function readSecret(name: string, route: AwsRoute) {
  const fix = 'check the AWS credentials, and that these may call secretsmanager:GetSecretValue on it';
  return parseSecret(await createSecretReader(name, route)().catch(unreadable(`The secret ${name}`, fix)));
}

async function openDeployed(
  stack: string,
  route: AwsRoute & Pick<Access, 'proxyEnv'>,
  env: Environment,
): Promise<Access> {
  const { address: own, credentials, rest } = readOwn(env, route.proxyEnv);
  const outputs = await readOutputs(stack, route);
  const table = outputs.get(OUTPUTS.table);
  if (table === undefined) throw new DeskError(`The stack ${stack} has no output ${OUTPUTS.table}.`);
  const pinned = outputs.get(OUTPUTS.address);
  const address = own ?? pinned;
  // With the credentials of another wallet, its orders would be cancelled, and those of the deployment would rest.
  if (pinned !== undefined && address?.toLowerCase() !== pinned.toLowerCase()) {
    throw new ConfigError(
      `SERVICE_WALLET_ADDRESS is not the wallet of the stack ${stack}, which is ${pinned}: leave it out.`,
    );
  }
  const base = { ...rest, store: TABLE_PREFIX + table, region: route.region, index: outputs.has(OUTPUTS.index) };
  if (credentials && address) return { ...base, address, credentials, wallet: undefined };
  const [secret, kms] = [outputs.get(OUTPUTS.secret), outputs.get(OUTPUTS.kmsKey)];
  if (secret === undefined && kms === undefined) {
    throw new DeskError(
      `The stack ${stack} places no orders and names no secret: set SERVICE_WALLET_ADDRESS with ${CREDENTIAL_NAMES.join(', ')}.`,
    );
  }
  const held = secret === undefined ? { credentials: undefined } : await readSecret(secret, route);
  // A signature of KMS is needed only to derive credentials.
  const key = signingKeyOf(held.privateKey, held.credentials ? undefined : kms);
  return { ...base, ...(await openSigner({ address, credentials: held.credentials }, key, route)) };
}

/** The proxy is of this machine; the account and the venue may be of the stack. */
function readProxy(env: Environment): ProxyEnv {
  const { httpsProxy, noProxy } = readVariables(env, SETTINGS.network).values;
  return { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy };
}

/**
 * Returns the variables by which a local service would trade as a deployment does, and the address that the deployment is
 * set to trade with. Throws `ConfigError` and `DeskError`.
 */
export async function variablesOf({ settings, stack = '', region }: Where, env: Environment) {
  const route = { region, proxyEnv: readProxy(withSettingsFile(settings, env)) };
  const outputs = await readOutputs(stack, route);
  const secret = outputs.get(OUTPUTS.secret);
  const { privateKey: key, credentials }: ReturnType<typeof parseSecret> =
    secret === undefined ? { credentials: undefined } : await readSecret(secret, route);
  const variables: Environment = {
    ...env,
    SERVICE_STORE: TABLE_PREFIX + outputs.get(OUTPUTS.table),
    SERVICE_PRIVATE_KEY: key?.reveal(),
    SERVICE_KMS_KEY: outputs.get(OUTPUTS.kmsKey),
    SERVICE_FUNDER_ADDRESS: outputs.get(OUTPUTS.funder),
    SERVICE_CLOB_API_KEY: credentials?.key,
    SERVICE_CLOB_API_SECRET: credentials?.secret.reveal(),
    SERVICE_CLOB_API_PASSPHRASE: credentials?.passphrase.reveal(),
  };
  return { variables, pinned: outputs.get(OUTPUTS.address) };
}

/** Finds the account and the store: of the settings, or of a deployment. Throws `ConfigError` and `DeskError`. */
export async function openAccess({ settings, stack, region, paper }: Where, env: Environment): Promise<Access> {
  const withFile = withSettingsFile(settings, env);
  if (paper) {
    const { port } = readVariables(withFile, { port: SETTINGS.local.port }).values;
    // Nothing of the operator's real account: it must not reach this venue.
    return openLocal(readPaperSession(port), {});
  }
  const proxyEnv = readProxy(withFile);
  return stack === undefined ? openLocal(withFile, proxyEnv) : openDeployed(stack, { region, proxyEnv }, env);
}

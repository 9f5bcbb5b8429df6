import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { openSigningKey } from '#venue/accounts';
import { createSecretReader, parseSecret } from '../../functions/orders/wallet-key.ts';
import { withSettingsFile } from '../../local/service/settings-file.ts';
import type { ApiCredentials, SigningKey } from '../../shared/account.ts';
import { awsClientOptions } from '../../shared/aws-client.ts';
import type { Secret } from '../../shared/secret.ts';
import { CREDENTIAL_NAMES, completeCredentials } from '../../shared/settings/credentials.ts';
import { ConfigError, TABLE_PREFIX } from '../../shared/settings/formats.ts';
import { readVariables } from '../../shared/settings/read.ts';
import { DEPLOYED, type Environment, SETTINGS } from '../../shared/settings/table.ts';
import type { Wallet } from '../../shared/wallets/evm-key.ts';

/** A sentence for the operator, which ends a command with exit code 1. It holds no secret. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
}

/** Returns what throws a `DeskError` for what cannot be read, with the name of the error and the way to mend it. */
function unreadable(what: string, fix: string) {
  return (cause: unknown): never => {
    const why = cause instanceof Error ? cause.name : 'unknown';
    throw new DeskError(`${what} cannot be read (${why}): ${fix}.`, { cause });
  };
}

/** What the desk works with. */
export interface Access {
  readonly clobUrl: string;
  /** The address of the wallet key, whose API credentials place the orders. */
  readonly address: string;
  readonly credentials: ApiCredentials | undefined;
  /** Opened only where there are no API credentials. */
  readonly wallet: Wallet | undefined;
  /** The account that holds the funds, where the settings name it. */
  readonly funderAddress?: string | undefined;
  /** The store of orders, as its setting names it. */
  readonly store: string;
  /** The region of a table, where the environment's is another. */
  readonly region?: string | undefined;
}

/** The options that say whose orders a command is about. */
export type Where = Readonly<Partial<Record<'settings' | 'stack' | 'region' | 'secret', string | undefined>>>;

/** The outputs of a deployment's stack, by their names. */
const OUTPUTS = {
  table: 'OrdersTable',
  secret: 'WalletSecret',
  kmsKey: 'WalletKmsKey',
  address: 'WalletAddress',
} as const;

/** DescribeStacks and its attempts. */
const STACK_MS = { connect: 2_000, attempt: 5_000, all: 10_000 } as const;

const { privateKey, store, clobApiKey, clobApiSecret, clobApiPassphrase } = SETTINGS.local;
const { clobUrl, funderAddress, walletAddress, kmsKey } = DEPLOYED;
const OWN = { clobUrl, funderAddress, store, walletAddress, clobApiKey, clobApiSecret, clobApiPassphrase };

/** Reads the settings that the desk needs, without the wallet key. */
function readOwn(env: Environment) {
  const { clobApiKey: key, clobApiSecret: secret, clobApiPassphrase: pass, ...own } = readVariables(env, OWN).values;
  return { ...own, credentials: completeCredentials([key, secret, pass]) };
}

type Signer = Pick<Access, 'address' | 'credentials' | 'wallet'>;

/** What is known of the signer. */
interface Known {
  readonly address: string | undefined;
  readonly credentials: ApiCredentials | undefined;
  readonly key: SigningKey | undefined;
  readonly region?: string | undefined;
}

/** Completes the signer's facts from its key, which is kept only if there are no credentials. */
async function complete(
  { address, credentials, key, region }: Known,
  missing: string,
  named = 'SERVICE_WALLET_ADDRESS',
): Promise<Signer> {
  const wallet = key && (await openSigningKey(key, { region }));
  if (wallet && address && wallet.address.toLowerCase() !== address.toLowerCase()) {
    throw new ConfigError(`${named} is not the address of the wallet key, which is ${wallet.address}.`);
  }
  const known = address ?? wallet?.address;
  if (known === undefined || (!credentials && !wallet)) throw new ConfigError(missing);
  return { address: known, credentials, wallet: credentials ? undefined : wallet };
}

function signingKeyOf(privateKey: Secret | undefined, kmsKey: string | undefined): SigningKey | undefined {
  if (kmsKey !== undefined) return { kmsKey };
  return privateKey && { privateKey };
}

async function openLocal({ settings }: Where, own: Environment): Promise<Access> {
  const env = withSettingsFile(settings, own);
  const { walletAddress: address, credentials, ...rest } = readOwn(env);
  const keys = credentials && address ? undefined : readVariables(env, { privateKey, kmsKey }).values;
  const missing = `SERVICE_PRIVATE_KEY or SERVICE_KMS_KEY must be set, or SERVICE_WALLET_ADDRESS with ${CREDENTIAL_NAMES.join(', ')}.`;
  const key = signingKeyOf(keys?.privateKey, keys?.kmsKey);
  return { ...rest, ...(await complete({ address, credentials, key }, missing)) };
}

async function readOutputs(stack: string, region: string | undefined): Promise<ReadonlyMap<string, string>> {
  const client = new CloudFormationClient(awsClientOptions(2, STACK_MS, region));
  const described = client.send(new DescribeStacksCommand({ StackName: stack }), {
    abortSignal: AbortSignal.timeout(STACK_MS.all),
  });
  const fix = 'check its name, --region, the AWS credentials, and that these may call cloudformation:DescribeStacks';
  const { Stacks = [] } = await described.catch(unreadable(`The stack ${stack}`, fix));
  const outputs = Stacks.flatMap(({ Outputs = [] }) => Outputs);
  return new Map(outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]));
}

async function openDeployed(stack: string, { region, secret }: Where, env: Environment): Promise<Access> {
  const own = readOwn(env);
  const outputs = await readOutputs(stack, region);
  const table = outputs.get(OUTPUTS.table);
  if (table === undefined)
    throw new DeskError(`The stack ${stack} has no output ${OUTPUTS.table}: it is not of this service.`);
  const pinned = outputs.get(OUTPUTS.address);
  const address = own.walletAddress ?? pinned;
  // With the credentials of another wallet, its orders would be cancelled, and those of the deployment left to rest.
  if (pinned !== undefined && address?.toLowerCase() !== pinned.toLowerCase()) {
    throw new ConfigError(
      `SERVICE_WALLET_ADDRESS is not the wallet of the stack ${stack}, which is ${pinned}: leave it out, or, for the orders of another wallet, set SERVICE_STORE=dynamodb:${table} in the place of --stack.`,
    );
  }
  const rest = { clobUrl: own.clobUrl, funderAddress: own.funderAddress, store: TABLE_PREFIX + table, region };
  if (own.credentials && address) return { ...rest, address, credentials: own.credentials, wallet: undefined };
  const name = secret ?? outputs.get(OUTPUTS.secret);
  const kms = outputs.get(OUTPUTS.kmsKey);
  if (name === undefined && kms === undefined) {
    throw new DeskError(
      `The stack ${stack} places no orders and names no secret (output ${OUTPUTS.secret}): name it with --secret NAME.`,
    );
  }
  const { credentials, privateKey } = name === undefined ? { credentials: undefined } : await readSecret(name, region);
  // A signature of KMS is needed only to derive credentials.
  const key = signingKeyOf(privateKey, credentials ? undefined : kms);
  const missing = `SERVICE_WALLET_ADDRESS must be set: the secret ${name} holds no wallet key.`;
  const named = pinned && `The wallet of the stack ${stack}, ${pinned},`;
  return { ...rest, ...(await complete({ address, credentials, key, region }, missing, named)) };
}

async function readSecret(name: string, region: string | undefined) {
  const fix = 'check its name, the AWS credentials, and that these may call secretsmanager:GetSecretValue on it';
  const text = await createSecretReader(name, region)().catch(unreadable(`The secret ${name}`, fix));
  return parseSecret(text);
}

/** Finds the account and the store: of the settings, or of a deployment. Throws `ConfigError` and `DeskError`. */
export async function openAccess(where: Where, env: Environment): Promise<Access> {
  return where.stack === undefined ? openLocal(where, env) : openDeployed(where.stack, where, env);
}

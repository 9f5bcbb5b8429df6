import { openForReads, type ReadAccess } from '#venue/open-account';
import { option, UsageError } from '../../local/command-line.ts';
import { isOnPaper, readPaperSession } from '../../local/paper/session-file.ts';
import { withSettingsFile } from '../../local/service/settings-file.ts';
import { type AwsRoute, awsClientOptions } from '../../shared/aws-client.ts';
import { type LocalConfig, parseLocalConfig } from '../../shared/settings/config.ts';
import { CREDENTIAL_NAMES } from '../../shared/settings/credentials.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { readSome } from '../../shared/settings/read.ts';
import { type Environment, SETTINGS } from '../../shared/settings/table.ts';
import { storeOfTable } from '../../shared/store-name.ts';

/** An error that ends a command with exit code 1. Its message is for the operator and holds no secret. */
export class DeskError extends Error {
  override readonly name = 'DeskError';
}

/** Writes a sentence for the operator. */
export type Note = (sentence: string) => void;

/** Waits for work. Notes the message of a `DeskError` and returns `undefined`. */
export async function orNote<T>(note: Note, work: Promise<T>, about = ''): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DeskError)) throw error;
    note(about + error.message);
    return undefined;
  }
}

/** The options that choose the service that a command is about. */
export type Where = Readonly<
  Partial<Record<'settings' | 'stack' | 'region', string | undefined>> & { readonly paper?: boolean }
>;

export const WHERE = {
  stack: option('NAME', 'use the deployment of this stack'),
  region: option('REGION', "region of the stack; default: the environment's"),
  settings: option('FILE', "read FILE instead of .env in the project's folder"),
} as const;

/** Throws `UsageError` for options that choose no one service. */
export function checkWhere({ settings, stack, region, paper = false }: Where): void {
  if (stack === undefined && region !== undefined) throw new UsageError('--region needs --stack.');
  if (stack !== undefined && settings !== undefined) throw new UsageError('--settings and --stack exclude each other.');
  if (paper && (stack ?? settings) !== undefined) throw new UsageError('--paper excludes --settings and --stack.');
}

/** The time limits of DescribeStacks: to connect, of an attempt, and of all attempts. */
const STACK_MS = { connect: 2_000, attempt: 5_000, all: 10_000 } as const;

interface Stack {
  readonly name: string;
  readonly status: string;
  readonly region: string;
  /** By their names. */
  readonly outputs: ReadonlyMap<string, string>;
}

async function readStack(name: string, route: AwsRoute): Promise<Stack> {
  // Loaded only here: it takes longer to load than the rest of a command.
  const { CloudFormationClient, DescribeStacksCommand } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient(awsClientOptions(2, STACK_MS, route));
  const described = client.send(new DescribeStacksCommand({ StackName: name }), {
    abortSignal: AbortSignal.timeout(STACK_MS.all),
  });
  const { Stacks: [found] = [] } = await described.catch((cause: unknown) => {
    const why = cause instanceof Error ? cause.name : 'unknown';
    throw new DeskError(
      `The stack ${name} cannot be read (${why}): check its name, --region, the AWS credentials, and that these may call cloudformation:DescribeStacks.`,
      { cause },
    );
  });
  const outputs = found?.Outputs?.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const);
  // The id of a stack is an ARN.
  const [, , , region = ''] = found?.StackId?.split(':') ?? [];
  return { name, status: found?.StackStatus ?? 'unknown', region, outputs: new Map(outputs) };
}

/** This machine's variables that also apply to a deployment: the network, and other credentials of the account. */
const OF_MACHINE = ['SERVICE_WALLET_ADDRESS', ...CREDENTIAL_NAMES, 'SERVICE_CLOB_URL', 'SERVICE_GAMMA_URL'];

/** Returns variables with which a local service would use the account of a deployment. */
function variablesOf({ name, status, outputs }: Stack, env: Environment): Environment {
  const [table, wallet, kmsKey] = ['OrdersTable', 'WalletAddress', 'WalletKmsKey'].map((output) => outputs.get(output));
  if (table === undefined) throw new DeskError(`The stack ${name} (${status}) has no output OrdersTable.`);
  const { walletAddress: own = wallet } = readSome(env, { walletAddress: SETTINGS.orders.walletAddress });
  // With another wallet's credentials, the desk would cancel that wallet's orders and not the deployment's.
  if (wallet !== undefined && own?.toLowerCase() !== wallet.toLowerCase()) {
    throw new ConfigError(
      `SERVICE_WALLET_ADDRESS is not the wallet of the stack ${name}, which is ${wallet}: unset it.`,
    );
  }
  const deployed: Environment = {
    SERVICE_STORE: storeOfTable(table),
    SERVICE_PLACE_ORDER: wallet && '1',
    SERVICE_WALLET_ADDRESS: wallet,
    SERVICE_KMS_KEY: kmsKey,
    [kmsKey === undefined ? 'SERVICE_PRIVATE_KEY_SECRET' : 'SERVICE_CREDENTIALS_SECRET']: outputs.get('WalletSecret'),
    SERVICE_FUNDER_ADDRESS: outputs.get('FunderAddress'),
    SERVICE_CLOB_URL: outputs.get('ClobUrl'),
    SERVICE_GAMMA_URL: outputs.get('GammaUrl'),
  };
  const ofMachine = Object.entries(env).filter(([name]) => !/^SERVICE_/i.test(name) || OF_MACHINE.includes(name));
  const ofStack = Object.entries(deployed).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...ofMachine, ...ofStack]);
}

export interface OperatorConfig extends LocalConfig {
  /** The region of AWS, if it is not the environment's. */
  readonly region?: string | undefined;
  readonly stack?: Stack;
}

/** Reads the configuration: of the settings, of a session on paper, or of a deployment. Throws `ConfigError` and `DeskError`. */
export async function readConfig(
  { settings, stack, region, paper }: Where,
  env: Environment,
  parse = parseLocalConfig,
): Promise<OperatorConfig> {
  const withFile = withSettingsFile(settings, env);
  // The paper venue must learn nothing about the operator's real account.
  if (paper) return parse(readPaperSession(readSome(withFile, { port: SETTINGS.local.port }).port));
  if (stack === undefined) return parse(withFile);
  const { httpsProxy, noProxy } = readSome(withFile, SETTINGS.network);
  const route = { region, proxyEnv: { HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy } };
  const found = await readStack(stack, route);
  return { ...parse(variablesOf(found, env)), ...route, stack: found };
}

type Used = 'clobUrl' | 'gammaUrl' | 'funderAddress' | 'proxyEnv' | 'store' | 'region';

/** The account, the venue and the store that the desk works with. */
export interface Access extends Pick<OperatorConfig, Used>, ReadAccess {}

/** Parses settings. Leaves the wallet key out if address and API credentials are set. */
function parseKeyless(env: Environment): LocalConfig {
  const isKeyless = ['SERVICE_WALLET_ADDRESS', ...CREDENTIAL_NAMES].every((name) => env[name]);
  return parseLocalConfig(isKeyless ? { ...env, SERVICE_PRIVATE_KEY: '' } : env);
}

/** Opens the account of a service for the desk. Throws `ConfigError` and `DeskError`. */
export async function openAccess(where: Where, env: Environment): Promise<Access> {
  const config = await readConfig(where, env, parseKeyless);
  const { key, walletAddress, credentials } = config;
  const hasAccount = key ?? (walletAddress && credentials);
  if (where.stack !== undefined && !hasAccount) {
    throw new DeskError(
      `The stack ${where.stack} places no orders and names no secret: set SERVICE_WALLET_ADDRESS with ${CREDENTIAL_NAMES.join(', ')}.`,
    );
  }
  if (!hasAccount && isOnPaper(config.port)) {
    throw new ConfigError(`No key is set. A session on paper runs on port ${config.port}: add --paper for its orders.`);
  }
  return { ...config, ...(await openForReads(config)) };
}

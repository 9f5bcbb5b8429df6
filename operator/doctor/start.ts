import { AccountError, ForeignKeyError, type openAccount } from '#venue/open-account';
import { checkStore } from '../../local/service/open-store.ts';
import { openConfigured, openVerified } from '../../local/service/service.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { type Environment, inSettings } from '../../shared/settings/table.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { DeskError, type OperatorConfig, readConfig, type Where } from '../account/access.ts';
import { awsErrorOf, type Finding, fail, ok, sentenceOf, warn } from './check.ts';

/** The account of the settings. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** How far a start gets: without `config` there is nothing to ask about, and without a key there is no account. */
interface Start {
  readonly finding: Finding;
  readonly config?: OperatorConfig | undefined;
  readonly account?: Account | undefined;
}

const HELP = 'npm start -- --help lists the settings.';
const DEPLOY = 'Correct deploy/NAME.json, and deploy it.';
const PERMISSIONS = 'See "Permissions" in docs/deployment.md.';
const KEY_FAULTS = 'See "StoreOrKeyFaults" in docs/operations.md.';
const KMS = 'See "A key in AWS KMS" in docs/going-live.md.';
const PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE to the account that your profile on polymarket.com shows. If they match, the key is the wrong one: an exported key may be one of several shares, which cannot sign alone, and a session key cannot place orders here. An address with delegated code (EIP-7702) is no deposit wallet: the venue refuses its signatures.';

/** The part of a start that an error comes from. */
type Part = 'settings' | 'account' | 'clients' | 'store';

/** Names settings as the operator of this service writes them. */
function inWordsOf(config: OperatorConfig | undefined, sentence: string): string {
  return config?.stack ? inSettings(sentence) : sentence;
}

function profileOf(config: OperatorConfig): string {
  return config.stack ? `${inSettings(PROFILE)} ${DEPLOY}` : PROFILE;
}

function fixOf(error: Error, part: Part, config: OperatorConfig | undefined): string {
  const aws = awsErrorOf(error);
  if (error instanceof DeskError || aws?.isDenied) return PERMISSIONS;
  if (error instanceof ForeignKeyError) return 'See "Rotating keys" in docs/operations.md.';
  if (config && error instanceof AccountError) return profileOf(config);
  if (part === 'store' && aws?.name === 'ResourceNotFoundException')
    return 'See "Restoring the table" in docs/operations.md.';
  if (part === 'store' && config?.stack) return KEY_FAULTS;
  const { key, stack } = config ?? {};
  if (part === 'account' && key && 'kmsKey' in key) return KMS;
  if (part === 'account' && key && 'secret' in key) return KEY_FAULTS;
  return stack ? DEPLOY : HELP;
}

/** The table of a deployment follows from its settings, and is none of them. */
function sentenceOn(error: Error, part: Part, config: OperatorConfig | undefined): string {
  const message = error.message.replaceAll('\n', ' ');
  if (part !== 'store' || !config?.stack) return inWordsOf(config, message);
  return `The table ${tableNameOf(config.store)} cannot be read (${Error.isError(error.cause) ? error.cause.name : 'unknown'}).`;
}

/** Starts the service as far as it goes before it listens, but creates no store. */
export async function checkStart(where: Where, env: Environment): Promise<Start> {
  let part: Part = 'settings';
  let config: OperatorConfig | undefined;
  let account: Account | undefined;
  try {
    config = await readConfig(where, env);
    const sentences: string[] = [...config.warnings];
    part = 'account';
    const opened = await openConfigured(config);
    part = 'clients';
    await openVerified(config, (sentence) => sentences.push(sentence));
    ({ account } = opened);
    part = 'store';
    // The outputs of a stack name no caps.
    sentences.push(...opened.warnings, ...(config.stack ? [] : config.risks));
    const said = account
      ? `${account.wallet.address} signs for ${account.funderAddress} (${account.signatureType}). Orders are kept in ${await checkStore(config)}.`
      : 'The settings are valid. Without a wallet key the service is read-only.';
    const more = inWordsOf(config, sentences.map(sentenceOf).join(' '));
    const isOfAccount = opened.warnings.length > 0;
    const fix = isOfAccount ? profileOf(config) : config.stack ? DEPLOY : HELP;
    return { finding: more === '' ? ok(said) : warn(`${said} ${more}`, fix), config, account };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DeskError)) throw error;
    const finding = {
      ...fail(sentenceOn(error, part, config), fixOf(error, part, config)),
      outage: awsErrorOf(error)?.name,
    };
    // The venue can be asked without the store.
    return part === 'store' ? { finding, config, account } : { finding };
  }
}

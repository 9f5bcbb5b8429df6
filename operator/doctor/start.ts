import { AccountError, ForeignKeyError, type openAccount } from '#venue/open-account';
import { checkStore } from '../../local/service/open-store.ts';
import { openConfigured, openVerified } from '../../local/service/service.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { type Environment, inSettings } from '../../shared/settings/table.ts';
import { DeskError, type OperatorConfig, readConfig, type Where } from '../account/access.ts';
import { awsErrorOf, type Finding, fail, judge, ok, PERMISSIONS, RESTORING, sentenceOf, warn } from './check.ts';

export type Account = Awaited<ReturnType<typeof openAccount>>;

/** How far a start gets: without `config` there is nothing to ask about, and without a key there is no account. */
interface Start {
  readonly finding: Finding;
  readonly config?: OperatorConfig | undefined;
  readonly account?: Account | undefined;
}

const HELP = 'npm start -- --help lists the settings.';
const KEY_FAULTS = 'See "StoreOrKeyFaults" in docs/operations.md.';
const PROFILE =
  'Set SERVICE_FUNDER_ADDRESS and SERVICE_SIGNATURE_TYPE (deployed: in deploy/NAME.json) to the account that your profile on polymarket.com shows. If they match, the key is the wrong one: an exported key may be one of several shares, which cannot sign alone, and a session key cannot place orders here. An address with delegated code (EIP-7702) is no deposit wallet: the venue refuses its signatures.';

/** The part of a start that an error comes from. */
type Part = 'settings' | 'account' | 'clients' | 'store';

function fixOf(error: Error, part: Part, key: OperatorConfig['key']): string {
  const aws = awsErrorOf(error);
  if (error instanceof DeskError || aws?.isDenied) return PERMISSIONS;
  if (error instanceof ForeignKeyError) return 'See "Rotating keys" in docs/operations.md.';
  if (error instanceof AccountError) return PROFILE;
  if (part === 'store' && aws) return aws.name === 'ResourceNotFoundException' ? RESTORING : KEY_FAULTS;
  if (part !== 'account' || !key || 'privateKey' in key) return HELP;
  return 'kmsKey' in key ? 'See "A key in AWS KMS" in docs/going-live.md.' : KEY_FAULTS;
}

/** Starts the service as far as it goes before it listens, but creates no store. */
export async function checkStart(where: Where, env: Environment): Promise<Start> {
  let part: Part = 'settings';
  let config: OperatorConfig | undefined;
  let account: Account | undefined;
  const inWords = (sentence: string) => (config?.stack ? inSettings(sentence) : sentence);
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
    const more = inWords(sentences.map(sentenceOf).join(' '));
    const fix = inWords(opened.warnings.length > 0 ? PROFILE : HELP);
    return { finding: more === '' ? ok(said) : warn(`${said} ${more}`, fix), config, account };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof DeskError)) return { finding: judge('AWS')(error) };
    const finding = fail(inWords(error.message.replaceAll('\n', ' ')), inWords(fixOf(error, part, config?.key)));
    // The venue can be asked without the store.
    return { finding, ...(part === 'store' && { config, account }) };
  }
}

import type { openAccount } from '#venue/open-account';
import { checkStore } from '../../local/service/open-store.ts';
import { prepare } from '../../local/service/service.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { type OperatorConfig, readConfig, type Where } from '../account/access.ts';
import { type Finding, fixOf, ok, sentenceOf, warn } from './check.ts';

/** The account of the settings. */
export type Account = Awaited<ReturnType<typeof openAccount>>;

/** The parts that a start opens; without a key there is no account. */
export interface Opened {
  config?: OperatorConfig;
  account?: Account | undefined;
}

/** Starts the service as far as it goes before it listens, but creates no store. Throws `ConfigError` and `DeskError`. */
export async function checkStart(where: Where, env: Environment, opened: Opened): Promise<Finding> {
  const config = await readConfig(where, env);
  const sentences: string[] = [...config.warnings];
  const { account, warnings } = await prepare(config, (sentence) => sentences.push(sentence));
  Object.assign(opened, { config, account } satisfies Opened);
  // The outputs of a stack name no caps.
  sentences.push(...warnings.filter((each) => !config.stack || !config.risks.includes(each)));
  const said = account
    ? `${account.wallet.address} signs for ${account.funderAddress} (${account.signatureType}). Orders are kept in ${await checkStore(config)}.`
    : 'The settings are valid. Without a wallet key the service is read-only.';
  const more = sentences.map(sentenceOf).join(' ');
  return more === '' ? ok(said) : warn(`${said} ${more}`, fixOf(more));
}

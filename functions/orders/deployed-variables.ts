import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { chooseAccount } from '../../shared/venue/polymarket/accounts.ts';
import { WALLET_KINDS } from '../../shared/wallets/wallet-kinds.ts';
import { createVerification } from './verification.ts';

/**
 * Runs the checks of a function's start over its variables, and returns a sentence for each mistake. Synth calls it: a
 * mistake that only the start finds would deploy, and each order would fail.
 */
export function checkDeployedVariables(variables: Readonly<Record<string, string>>): readonly string[] {
  try {
    const config = parseDeployedConfig(variables);
    if (config.walletAddress !== undefined) chooseAccount(config.walletAddress.toLowerCase(), config);
    createVerification(WALLET_KINDS, { allowedClients: config.allowedClients });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message.split('\n');
  }
}

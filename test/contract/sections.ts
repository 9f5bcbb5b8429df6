import { BOOK } from './book.ts';
import { CAPS } from './caps.ts';
import type { Check } from './check.ts';
import { CLIENTS } from './clients.ts';
import { CONTRACT_WALLETS } from './contract-wallets.ts';
import { EVERYWHERE } from './everywhere.ts';
import { FATES } from './fates.ts';
import { HEALTH } from './health.ts';
import { KEYS } from './keys.ts';
import { LOCAL_SERVER } from './local-server.ts';
import { MARKETS } from './markets.ts';
import { ORDERS } from './orders.ts';
import { SETTINGS } from './settings.ts';

/** The whole contract, a section a file. */
export const CHECKS: readonly Check[] = [
  ...EVERYWHERE,
  ...HEALTH,
  ...MARKETS,
  ...BOOK,
  ...ORDERS,
  ...CLIENTS,
  ...CONTRACT_WALLETS,
  ...CAPS,
  ...KEYS,
  ...FATES,
  ...LOCAL_SERVER,
  ...SETTINGS,
];

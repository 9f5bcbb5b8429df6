import { CLIENTS } from './clients.ts';
import { CONTRACT_WALLETS } from './contract-wallets.ts';
import { describeSection } from './in-process.ts';

describeSection([...CLIENTS, ...CONTRACT_WALLETS]);

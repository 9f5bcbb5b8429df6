import { CONTRACT_WALLETS } from './contract-wallets.ts';
import { describeSection } from './in-process.ts';

describeSection(CONTRACT_WALLETS);

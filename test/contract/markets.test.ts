import { describeSection } from './in-process.ts';
import { MARKETS } from './markets.ts';

describeSection(MARKETS);

import { BOOK } from './book.ts';
import { EVERYWHERE } from './everywhere.ts';
import { HEALTH } from './health.ts';
import { describeSection } from './in-process.ts';
import { MARKETS } from './markets.ts';

describeSection([...EVERYWHERE, ...HEALTH, ...MARKETS, ...BOOK]);

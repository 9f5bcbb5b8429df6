import { EVERYWHERE } from './everywhere.ts';
import { describeSection } from './in-process.ts';

describeSection(EVERYWHERE);

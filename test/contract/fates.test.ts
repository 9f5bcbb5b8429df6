import { FATES } from './fates.ts';
import { describeSection } from './in-process.ts';

describeSection(FATES);

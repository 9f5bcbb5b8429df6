import { describeSection } from './in-process.ts';
import { KEYS } from './keys.ts';

describeSection(KEYS);

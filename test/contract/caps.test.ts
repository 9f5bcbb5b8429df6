import { CAPS } from './caps.ts';
import { describeSection } from './in-process.ts';

describeSection(CAPS);

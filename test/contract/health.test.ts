import { HEALTH } from './health.ts';
import { describeSection } from './in-process.ts';

describeSection(HEALTH);

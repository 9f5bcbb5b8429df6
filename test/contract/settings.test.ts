import { describeSection } from './in-process.ts';
import { SETTINGS } from './settings.ts';

describeSection(SETTINGS);

import { CLIENTS } from './clients.ts';
import { describeSection } from './in-process.ts';

describeSection(CLIENTS);

import { BOOK } from './book.ts';
import { describeSection } from './in-process.ts';

describeSection(BOOK);

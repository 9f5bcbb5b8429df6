import { describeSection } from './in-process.ts';
import { ORDERS } from './orders.ts';

describeSection(ORDERS);

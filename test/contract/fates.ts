import { section } from './check.ts';

/** Checks of what becomes of an order. */
export const FATES = section('fates', ['orders'], {});

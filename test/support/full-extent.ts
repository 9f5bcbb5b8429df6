/** As `npm run proofs` sets it, which CI runs beside the tests: searches and chaos are many times as long then. */
export const FULL_EXTENT = process.env['FULL_EXTENT'] === '1';

/** As `npm run proofs` and CI set it: searches and chaos are many times as long then. */
export const FULL_EXTENT = process.env['FULL_EXTENT'] === '1';

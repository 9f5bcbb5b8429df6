/** Two long proofs have their full extent in `npm run proofs`, which CI runs beside the tests. */
export const FULL_EXTENT = process.env['FULL_EXTENT'] === '1';

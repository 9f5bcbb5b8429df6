/** True for `npm run proofs` and CI: the searches go many times as far. */
export const FULL_EXTENT = process.env['FULL_EXTENT'] === '1';

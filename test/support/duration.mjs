/** Enough to tell a whole run from that of some files. */
const MANY_SUITES = 80;

/** Says at the start of a whole run how long it takes. Jest wants a file, and a default export, for a reporter. */
export default class Duration {
  onRunStart({ numTotalTestSuites: suites }) {
    if (suites < MANY_SUITES) return;
    process.stderr.write(`${suites} suites: about three minutes on two idle cores, eight on busy ones.\n`);
  }
}

import Sequencer from '@jest/test-sequencer';

/** Suites that take longest, the longest first: one that starts last is waited for alone. */
const SLOW = [
  'shared/orders/model',
  'infra/synth',
  'console/page',
  'local/placed-orders',
  'shared/orders/chaos',
  'contract/conformance/suite',
  'infra/findings',
  'functions/verified-orders',
  'shared/venue/polymarket/unknown-outcomes',
  'local/changed-service',
  'local/doctor/doctor',
  'client/client',
];

function rank({ path }) {
  const index = SLOW.findIndex((name) => path.endsWith(`/test/${name}.test.ts`));
  return index < 0 ? SLOW.length : index;
}

/** Starts slow suites first. By itself jest knows only those that it has run before, which a fresh clone has not. */
export default class SlowFirst extends Sequencer {
  sort(tests) {
    return super.sort(tests).toSorted((one, other) => rank(one) - rank(other));
  }
}

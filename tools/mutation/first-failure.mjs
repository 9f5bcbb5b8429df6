import threads from 'node:worker_threads';
import StrykerEnvironment from '@stryker-mutator/jest-runner/jest-env/node';

/** The mutant that a test has noticed last. */
let noticed;

/** A thread whose environment has the mutant, also where it gets nothing else. */
threads.Worker = class extends threads.Worker {
  constructor(script, options) {
    const { __STRYKER_ACTIVE_MUTANT__ } = process.env;
    const mutant = __STRYKER_ACTIVE_MUTANT__ !== undefined && { __STRYKER_ACTIVE_MUTANT__ };
    super(script, { ...options, env: { ...(options?.env ?? process.env), ...mutant } });
  }
};

/** Leaves out what would follow the first test that fails, in its file and in others. Jest wants a default export. */
export default class FirstFailure extends StrykerEnvironment {
  handleTestEvent({ name, test }) {
    const { __STRYKER_ACTIVE_MUTANT__: mutant } = process.env;
    if (name === 'test_done' && test.errors.length > 0) noticed = mutant;
    if (name === 'test_start' && mutant !== undefined && noticed === mutant) test.mode = 'skip';
  }
}

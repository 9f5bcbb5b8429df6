import StrykerEnvironment from '@stryker-mutator/jest-runner/jest-env/node';

/** The mutant that a test has noticed last. */
let noticed;

/** Skips the tests after the first failure, in its file and in others. Jest wants a default export. */
export default class FirstFailure extends StrykerEnvironment {
  handleTestEvent({ name, test }) {
    const { __STRYKER_ACTIVE_MUTANT__: mutant } = process.env;
    if (name === 'test_done' && test.errors.length > 0) noticed = mutant;
    if (name === 'test_start' && mutant !== undefined && noticed === mutant) test.mode = 'skip';
  }
}

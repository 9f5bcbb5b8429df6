import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { commonTokens, declareFactoryPlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';

/** Names a mutant by what it changes, so that a change elsewhere in the file keeps the sample. */
function hashOf({ mutatorName, replacement, location: { start } }, lines) {
  return createHash('sha256')
    .update(`${mutatorName} ${replacement} ${lines[start.line]} ${start.column}`)
    .digest('hex');
}

/** Leaves `options.sample` mutants of a module, drawn by their hashes: the rest count as not compiling. */
function createSample({ sample }) {
  return {
    init: async () => {},
    // One group: a check sees all mutants of the module.
    group: async (mutants) => [mutants.map(({ id }) => id)],
    async check(mutants) {
      const lines = readFileSync(mutants[0].fileName, 'utf8').split('\n');
      const hashes = mutants.map((mutant) => ({ id: mutant.id, hash: hashOf(mutant, lines) }));
      const drawn = hashes.sort((one, other) => one.hash.localeCompare(other.hash)).slice(0, sample);
      const others = { status: 'compileError', reason: 'not in the sample' };
      const results = mutants.map(({ id }) => [id, others]);
      return Object.fromEntries([...results, ...drawn.map(({ id }) => [id, { status: 'passed' }])]);
    },
  };
}
createSample.inject = tokens(commonTokens.options);

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'sample', createSample)];

const { readFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

/**
 * Leaves out each test file that a `*.group.ts` among the same files imports. The tests of a group share one load of the
 * modules, which takes a file of its own longer than most tests; a file that is asked for by name runs by itself.
 */
module.exports = (files) => {
  const groups = files.filter((file) => file.endsWith('.group.ts'));
  const grouped = groups.flatMap((group) =>
    Array.from(readFileSync(group, 'utf8').matchAll(/^import '(.+)';$/gm), ([, file]) => join(dirname(group), file)),
  );
  return { filtered: files.filter((file) => !grouped.includes(file)) };
};

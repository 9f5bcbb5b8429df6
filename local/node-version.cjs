/**
 * Ends a process of an older Node with one sentence, before it meets what it cannot read. Every entry point loads this
 * first. CommonJS: each Node there has been takes it with `-r`, which comes before the entry point itself.
 */
const NEEDED = 24;

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  process.stderr.write(
    `Needs Node ${NEEDED} or later; this is ${process.version} (${process.execPath}). ` +
      'In a clone on Linux x64 it comes with the dependencies: use npm start, or npx node in the place of node.\n',
  );
  process.exit(1);
}

/**
 * Ends a process of an older Node with one sentence before it meets newer syntax.
 * From here on, no signal opens a debugger.
 * Every entry point loads this first. It is CommonJS, which every version of Node loads with `-r` before the entry
 * point itself.
 */
const NEEDED = [24, 15];
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

// The SQLite of an older one may damage the store, and before 24.5 Node's agents ignore a proxy.
if (major < NEEDED[0] || (major === NEEDED[0] && minor < NEEDED[1])) {
  process.stderr.write(
    `Needs Node ${NEEDED.join('.')} or later; this is ${process.version} (${process.execPath}). ` +
      'In a clone on Linux x64 npm ci brings it along: use npm start, npx cdk, or npx node in the place of node.\n',
  );
  process.exit(1);
}

// Node opens a debugger at this signal, and this process may hold a wallet key. A listener takes its place.
process.on('SIGUSR1', () => undefined);

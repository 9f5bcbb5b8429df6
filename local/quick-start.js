import './node-version.cjs';

// Not imported: an older Node lacks some of these exports. The line above stops it.
const { enableCompileCache } = process.getBuiltinModule('node:module');
const { fileURLToPath } = process.getBuiltinModule('node:url');

/**
 * Keeps what Node compiles: the second start takes two thirds of the time. JavaScript, so that with everything
 * kept, Node does not even load its TypeScript parser. Not in Node's default place, the directory for temporary files,
 * where another user could put code for a process that holds a key.
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

/**
 * Node reads all exports of `node:http` for the first ES module that imports it, and loads all of fetch for these three,
 * which nothing here uses.
 */
const http = process.getBuiltinModule('node:http');
for (const name of ['CloseEvent', 'MessageEvent', 'WebSocket']) Object.defineProperty(http, name, { value: undefined });

#!/usr/bin/env node
import './node-version.cjs';

// Imported after the check above: an older Node lacks some of these exports.
const { enableCompileCache } = await import('node:module');
const { fileURLToPath } = await import('node:url');

/**
 * Keeps what Node compiles: the second start takes two thirds of the time. JavaScript, so that with everything
 * kept, Node does not even load its TypeScript parser. Not in Node's default place, the directory for temporary files,
 * where another user could put code for a process that holds a key.
 */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node-compile', import.meta.url)));

await import('./main.ts');

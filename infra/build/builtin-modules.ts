import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

/** Web classes that node:http re-exports, and for which it loads all of fetch. */
const OF_FETCH: ReadonlySet<string> = new Set(['WebSocket', 'CloseEvent', 'MessageEvent']);

/**
 * Re-exports a module of Node with one lazy getter per export; only those that are imported stay in the bundle, but all
 * of them for an `import()`. Takes 24 of 148 ms off a cold start under Lambda's runtime client: a plain import of
 * node:http loads Node's fetch.
 */
function writeModule(path: string): string {
  const all = Object.keys(process.getBuiltinModule(path) ?? {});
  const names = all.filter((name) => /^[a-z]\w*$/i.test(name) && !OF_FETCH.has(name));
  return [
    `const $builtin = /* @__PURE__ */ process.getBuiltinModule('${path}');`,
    'const $get = (name) => $builtin[name];',
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ $get('${name}');`),
    'export default $builtin;',
  ].join('\n');
}

/**
 * Replaces imports of Node's modules by calls. An import reads all exports of such a module, and so loads what Node loads
 * on first use: all of fetch with node:http, WebCrypto with node:crypto.
 */
export function builtinModulesByCall(): Plugin {
  return {
    name: 'builtin-modules-by-call',
    setup(build) {
      // Except node:process, whose exports differ between processes: the build would not be reproducible.
      build.onResolve({ filter: /^[a-z]/ }, ({ path }) =>
        isBuiltin(path) && !/^(?:node:)?process$/.test(path)
          ? { path: `node:${path.replace('node:', '')}`, namespace: 'builtin-module', sideEffects: false }
          : undefined,
      );
      build.onLoad({ filter: /.*/, namespace: 'builtin-module' }, ({ path }) => ({ contents: writeModule(path) }));
    },
  };
}

import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * Replaces imports of Node's modules by calls, which read an export only when it is used. An import reads all exports of
 * such a module, and so loads what Node loads on first use: all of fetch with node:http, WebCrypto with node:crypto. Takes
 * 24 of 148 ms off a cold start of orders under Lambda's runtime client.
 */
export const BUILTINS_BY_CALL: Plugin = {
  name: 'builtins-by-call',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path }) =>
      isBuiltin(path)
        ? { path: path.replace(/^(?:node:)?/, 'node:'), namespace: 'builtin', sideEffects: false }
        : undefined,
    );
    // As CommonJS: esbuild then makes a getter of each export.
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};

/**
 * The modules of the layer by name. The errors are there because an error of the venue adapter must be an instance of the
 * class that the pipeline knows: with a copy in each bundle, every such error would be answered 500.
 */
export const LAYER_ENTRIES = {
  accounts: 'shared/venue/polymarket/accounts.ts',
  'market-data': 'shared/venue/polymarket/market-data.ts',
  'order-entry': 'shared/venue/polymarket/order-entry.ts',
  errors: 'shared/errors.ts',
} as const;

/** Keeps imports of the layer's modules as imports from the layer. */
export const FROM_LAYER: Plugin = {
  name: 'from-layer',
  setup(build) {
    // Lambda mounts the layer there. The path is absolute: Node would look for a bare name beside the function.
    build.onResolve({ filter: /^#venue\/|\/errors\.ts$/ }, ({ path }) => ({
      path: `/opt/nodejs/${basename(path, '.ts')}.mjs`,
      external: true,
    }));
  },
};

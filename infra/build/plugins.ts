import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename } from 'node:path';
import type { Plugin } from 'esbuild';

/** Returns the exports of a module of Node that a file imports by name; `undefined` where it may use others. */
function namesIn(importer: string, path: string): readonly string[] | undefined {
  const text = readFileSync(importer, 'utf8');
  const imports = [...text.matchAll(/\bimport\s*([^'"();]*?)\s*from\s*['"]([^'"]+)['"]/g)].filter(
    (each) => each[2] === path,
  );
  const lists = imports.map(([, clause = '']) => /^\{([^}]*)\}$/.exec(clause)?.[1]);
  if (lists.length === 0 || lists.includes(undefined)) return undefined;
  const names = lists.join(',').split(',');
  const exported = names.map((name) => name.trim().split(/\s+as\s+/)[0] ?? '');
  return [...new Set(exported)].filter((name) => name !== '' && !name.startsWith('type ')).sort();
}

/**
 * Loads a module of Node when one of its exports is first used. An import reads all exports of such a module, and so loads
 * what Node loads on first use: all of fetch with node:http, WebCrypto with node:crypto. Takes 24 of 148 ms off a cold start
 * of orders under Lambda's runtime client, and 5 of 22 ms of processor time off health, which needs no node:crypto. The names
 * come from the importing file, so that the bytes do not depend on the Node that builds.
 */
export const BUILTINS_BY_CALL: Plugin = {
  name: 'builtins-by-call',
  setup(build) {
    build.onResolve({ filter: /^[a-z]/ }, ({ path, importer, kind }) => {
      if (!isBuiltin(path)) return undefined;
      const names = kind === 'import-statement' ? namesIn(importer, path) : undefined;
      const name = path.replace(/^(?:node:)?/, 'node:');
      return { path: name, suffix: names ? `?${names.join()}` : '', namespace: 'builtin', sideEffects: false };
    });
    // As CommonJS: esbuild then copies the getters, and calls none.
    build.onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path, suffix }) => {
      if (suffix === '') return { contents: `module.exports = process.getBuiltinModule('${path}');` };
      const getters = suffix
        .slice(1)
        .split(',')
        .map((name) => `get ${name}() { return load().${name}; }`);
      const load = `let loaded; const load = () => (loaded ??= process.getBuiltinModule('${path}'));`;
      return { contents: `${load} module.exports = { ${getters.join(', ')} };` };
    });
  },
};

/** Replaces the SDK's reader of ~/.aws, which Lambda does not have. Takes 2 % off a cold start of orders. */
export const NO_CONFIG_FILES: Plugin = {
  name: 'no-config-files',
  setup(build) {
    build.onLoad({ filter: /\/loadSharedConfigFiles\.js$/ }, () => ({
      contents: `export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} });
        export const CONFIG_PREFIX_SEPARATOR = '.';`,
    }));
  },
};

/**
 * The modules of the layer by name. The errors are there because an error of the venue adapter must be an instance of the
 * class that the pipeline knows: with a copy in each bundle, every such error would be answered 500.
 */
export const LAYER_ENTRIES = {
  'open-account': 'shared/venue/polymarket/open-account.ts',
  'market-data': 'shared/venue/polymarket/market-data.ts',
  'order-entry': 'shared/venue/polymarket/order-entry.ts',
  errors: 'shared/errors.ts',
  exchange: 'shared/http/exchange.ts',
  aws: 'infra/build/aws.ts',
  zod: 'infra/build/zod.ts',
} as const;

/** Imports that the layer provides: its modules, and the AWS clients other than KMS. */
const IN_LAYER = new RegExp(`^#venue/|/(?:${Object.keys(LAYER_ENTRIES).join('|')})\\.ts$`);
const CLIENTS = /^@aws-sdk\/client-(?:dynamodb|secrets-manager)$/;

export const FROM_LAYER: Plugin = {
  name: 'from-layer',
  setup(build) {
    // Lambda mounts the layer there. The path is absolute: Node would look for a bare name beside the function.
    const fromLayer = (name: string) => ({ path: `/opt/nodejs/${name}.mjs`, external: true });
    build.onResolve({ filter: IN_LAYER }, ({ path }) => fromLayer(basename(path, '.ts')));
    build.onResolve({ filter: CLIENTS }, () => fromLayer('aws'));
    build.onResolve({ filter: /^zod\/mini$/ }, () => fromLayer('zod'));
  },
};

import { join } from 'node:path';
import type { Plugin } from 'esbuild';

/**
 * The modules of the layer by name. The errors are there because an error of the venue adapter must be an instance of the
 * class that the pipeline knows: with a copy in each bundle, every such error would be answered 500.
 */
export const LAYER_ENTRIES = {
  'market-data': 'shared/venue/polymarket/market-data.ts',
  'order-entry': 'shared/venue/polymarket/order-entry.ts',
  accounts: 'shared/venue/polymarket/accounts.ts',
  errors: 'shared/errors.ts',
} as const;

/** Keeps imports of the layer's modules as imports from the layer. */
export function fromLayer(root: string): Plugin {
  const offered = new Map(Object.entries(LAYER_ENTRIES).map(([name, path]) => [join(root, path), name]));
  return {
    name: 'from-layer',
    setup(build) {
      build.onResolve({ filter: /^#venue\/|\/errors\.ts$/ }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === 'from-layer') return undefined;
        const resolved = await build.resolve(path, { resolveDir, kind, pluginData: 'from-layer' });
        const name = offered.get(resolved.path);
        // Lambda mounts the layer there. The path is absolute: Node would look for a bare name beside the function.
        return name === undefined ? resolved : { path: `/opt/nodejs/${name}.mjs`, external: true };
      });
    },
  };
}

import { registerHooks } from 'node:module';
import { join } from 'node:path';

/**
 * Stands for the file system of an execution environment: /opt is the folder of the layer, and the runtime client's
 * native part, which is not built here, is our few lines.
 */
const { RIG_LAYER } = process.env;
const CLIENT = join(import.meta.dirname, 'rapid-client.cjs');

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.endsWith('/rapid-client.node')) return next(CLIENT, context);
    return next(specifier.startsWith('/opt/') ? RIG_LAYER + specifier.slice('/opt'.length) : specifier, context);
  },
});

import { isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError } from '../../shared/settings/formats.ts';

/** The folder of the program, wherever it was installed. */
export const SOURCES = fileURLToPath(new URL('../..', import.meta.url));

const IS_INSTALLED = /[\\/]node_modules[\\/]/.test(SOURCES);

/**
 * Relative paths count from here, not from where the process happens to be started. In an installed package it
 * is the working directory, since npm replaces the folder of the package.
 */
export const PROJECT = IS_INSTALLED ? process.cwd() : SOURCES;

/**
 * Returns the absolute path of a store. Throws `ConfigError` for a relative one in an installed package: started in
 * another directory, it would open another store, which knows no key.
 */
export function storeFileOf(path: string): string {
  if (IS_INSTALLED && !isAbsolute(path)) {
    throw new ConfigError('SERVICE_STORE must be an absolute path where orders are enabled in an installed package.');
  }
  return resolve(PROJECT, path);
}

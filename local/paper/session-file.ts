import { existsSync, lstatSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { readSettingsFile } from '../service/settings-file.ts';

/** Names the file in which a session on paper keeps its settings, by the port of its service. */
function sessionFile(port: number): string {
  return join(tmpdir(), `order-book-adapter-paper-${port}.env`);
}

/** Saves the settings of a paper session for the desk until it ends. Only this file has its key and store. */
export function keepPaperSession(port: number, settings: Environment): Disposable {
  const path = sessionFile(port);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  // Never overwrites a file: in a shared folder, the owner of an existing file could read the key.
  rmSync(path, { force: true });
  writeFileSync(path, lines.join(''), { flag: 'wx', mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
}

/** Returns true while a session on paper runs whose service has this port. */
export function isOnPaper(port: number): boolean {
  return existsSync(sessionFile(port));
}

/** Reads the settings of the session on paper whose service has a port. Throws `ConfigError`. */
export function readPaperSession(port: number): Environment {
  const path = sessionFile(port);
  const owner = lstatSync(path, { throwIfNoEntry: false })?.uid;
  if (owner === undefined) {
    throw new ConfigError(
      `No session on paper runs on port ${port}: start npm run paper, or set SERVICE_PORT to its port.`,
    );
  }
  // Another user's file could name another venue and key.
  if (owner !== (process.getuid?.() ?? owner)) throw new ConfigError(`${path} belongs to another user.`);
  return readSettingsFile(path, { optional: false });
}

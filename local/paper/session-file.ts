import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import { readSettingsFile } from '../service/settings-file.ts';

/** Names the file in which a session on paper keeps its settings, by the port of its service. */
function sessionFile(port: number): string {
  return join(tmpdir(), `order-book-adapter-paper-${port}.env`);
}

/** Keeps the settings of a session on paper for the desk until it ends: its key and its store are in no other place. */
export function keepPaperSession(port: number, settings: Environment): Disposable {
  const path = sessionFile(port);
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  // Not over a file that is there: somebody else's, in a folder that all users share, could be read by him.
  rmSync(path, { force: true });
  writeFileSync(path, lines.join(''), { flag: 'wx', mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
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
  // The venue in it would be asked with whatever key it names.
  if (owner !== (process.getuid?.() ?? owner)) throw new ConfigError(`${path} belongs to another user.`);
  return readSettingsFile(path, { optional: false });
}

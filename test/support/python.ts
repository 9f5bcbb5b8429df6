import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const { error, status } = spawnSync('python3', ['-c', 'import requests']);

/** True if this machine has Python 3. */
export const HAS_PYTHON = error === undefined;

/** For the documents' Python: where `requests` is missing, it runs on a stand-in with the same calls. */
export const PYTHON_ENV = {
  ...process.env,
  PYTHONDONTWRITEBYTECODE: '1',
  ...(status !== 0 && { PYTHONPATH: join(import.meta.dirname, '../readme/stand-in') }),
};

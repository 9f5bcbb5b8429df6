import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { keepPaperSession, readPaperSession } from '../../local/paper/session-file.ts';

/** No service listens on it. */
const PORT = 0;

it('keeps a paper session in a file of mode 0600, whatever the umask, and refuses a file of another user', () => {
  const path = join(tmpdir(), `order-book-adapter-paper-${PORT}.env`);
  const mask = process.umask(0);
  using _session = keepPaperSession(PORT, { SERVICE_PORT: '1' });
  process.umask(mask);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(readPaperSession(PORT)).toStrictEqual({ SERVICE_PORT: '1' });
  using _uid = jest.spyOn(process, 'getuid').mockReturnValue(statSync(path).uid + 1);
  expect(() => readPaperSession(PORT)).toThrow(`${path} belongs to another user.`);
});

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const SOURCES = globSync('{functions,shared,infra,local,paper,client,console,tools,test/support}/**/*.{ts,mjs}', {
  cwd: ROOT,
}).filter((path) => !/(?:^|\/)build\//.test(path) || path.startsWith('infra/build/'));
const ROOMS = [...new Set(SOURCES.map(dirname))].sort();

function readmeOf(room: string): string {
  const path = join(ROOT, room, 'README.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

describe('the rooms', () => {
  it('each say what belongs in them', () => {
    expect(ROOMS.filter((room) => readmeOf(room) === '')).toStrictEqual([]);
    expect(ROOMS.length).toBeGreaterThan(40);
  });

  it('name files to start with that are there', () => {
    const missing = ROOMS.flatMap((room) => {
      const [, start = ''] = /^Start with (.*)$/m.exec(readmeOf(room)) ?? [];
      const named = [...start.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => join(room, file));
      return named.filter((file) => !existsSync(join(ROOT, file)));
    });
    expect(missing).toStrictEqual([]);
  });
});

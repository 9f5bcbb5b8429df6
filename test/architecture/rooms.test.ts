import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = /^(?:client|console)\/build\//;
const HOUSES = '{functions,shared,infra,local,paper,client,console,tools,test/support}';
const SOURCES = globSync(`${HOUSES}/**/*.{ts,js,mjs,cjs}`, { cwd: ROOT }).filter((path) => !BUILT.test(path));
const ROOMS = [...new Set([...SOURCES.map(dirname), 'test'])].sort();
/** Tests of the tree and of the documents, which are no room of the product. */
const OF_THE_WHOLE = /^(?:architecture|readme)$/;

function readmeOf(room: string): string {
  const path = join(ROOT, room, 'README.md');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** What is missing of: what belongs in the room, what does not, and where to start. */
function missingIn(readme: string): string[] {
  const parts = {
    'what belongs here': /^# .+\n\n[^\s#]/,
    'Not here': /^Not here: \S/m,
    'Start with': /^Start with \S/m,
  };
  return Object.entries(parts).flatMap(([name, part]) => (part.test(readme) ? [] : [name]));
}

/** Finds the files and folders that a text names as code: `endpoint.ts`, `local/http`, `calls/`. */
function pathsIn(readme: string): string[] {
  const spans = [...readme.matchAll(/`(\w[\w./-]*)`/g)].map(([, span = '']) => span);
  return spans.filter((span) => /\/|\.(?:ts|json)$/.test(span) && !BUILT.test(span));
}

describe('the rooms', () => {
  it('each say what belongs in them, what does not, and where to start', () => {
    expect(ROOMS.length).toBeGreaterThan(50);
    expect(
      ROOMS.map((room) => [room, ...missingIn(readmeOf(room))]).filter(([, ...missing]) => missing.length),
    ).toEqual([]);
  });

  it.each([
    ['', 3],
    ['# local\n\nNot here: tests.\n', 1],
    ['# local\n\nThe service.\n\nNot here: tests.\n\nStart with `main.ts`.\n', 0],
  ])('are held to all three: %j', (readme, missing) => {
    expect(missingIn(readme)).toHaveLength(missing);
  });

  it('name files and folders that are there', () => {
    const named = ROOMS.flatMap((room) => pathsIn(readmeOf(room)).map((path) => ({ room, path })));
    expect(named.length).toBeGreaterThan(50);
    const isThere = ({ room, path }: (typeof named)[number]) =>
      existsSync(join(ROOT, room, path)) || existsSync(join(ROOT, path));
    expect(named.filter((one) => !isThere(one))).toStrictEqual([]);
  });

  it('of the tests mirror those that they test', () => {
    const rooms = new Set(globSync('**/*.test.ts', { cwd: join(ROOT, 'test') }).map(dirname));
    const own = [...rooms].filter((room) => !OF_THE_WHOLE.test(room) && !existsSync(join(ROOT, room)));
    expect(own).toStrictEqual([]);
  });
});

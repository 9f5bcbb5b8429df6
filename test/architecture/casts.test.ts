import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const HOUSES = '{functions,shared,infra,local,paper,client,console,tools,test}';

/** Finds calls of `Object`, whose value is of type `any`: a cast of whatever came from outside. */
function castsIn(source: string): string[] {
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isCast = ts.isCallExpression(node) && ts.isIdentifier(node.expression) && node.expression.text === 'Object';
    if (isCast) found.push(node.getText(file));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe('casts in disguise', () => {
  it.each(['Object(x).y', 'const { y } = Object(x);', 'f({ ...Object(x) })', 'const { y = Object() } = z;'])(
    'are found: %s',
    (source) => {
      expect(castsIn(source)).toHaveLength(1);
    },
  );

  it.each(['Object.keys(x)', 'new Object()', "'Object(x).y'", '// Object(x).y'])(
    'are no other things: %s',
    (source) => {
      expect(castsIn(source)).toStrictEqual([]);
    },
  );

  it('are nowhere: what comes from outside is parsed', () => {
    const files = globSync(`${HOUSES}/**/*.{ts,js,mjs,cjs}`, { cwd: ROOT }).filter((path) => !path.includes('/build/'));
    const found = files.flatMap((path) =>
      castsIn(readFileSync(join(ROOT, path), 'utf8')).map((cast) => `${path}: ${cast}`),
    );
    expect(found).toStrictEqual([]);
    expect(files.length).toBeGreaterThan(300);
  });
});

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../..');
const BUILT = /^(?:client|console)\/build\//;
const HOUSES = '{functions,shared,infra,local,paper,client,console,tools,test}';

/** Their values are of type `any`, which TypeScript lets pass for anything. */
const UNTYPED = ['JSON.parse', 'Reflect.get'];

function isUsedUnparsed(node: ts.CallExpression): boolean {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent)) return parent.type?.kind !== ts.SyntaxKind.UnknownKeyword;
  return (
    (ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent) || ts.isSpreadAssignment(parent)) &&
    parent.expression === node
  );
}

function findCalls(source: string, isFound: (node: ts.CallExpression, callee: string) => boolean): string[] {
  const file = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && isFound(node, node.expression.getText())) found.push(node.parent.getText());
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** Finds calls of `Object`, whose value is of type `any`: a cast of whatever came from outside. */
function castsIn(source: string): string[] {
  return findCalls(source, (_node, callee) => callee === 'Object');
}

/** Finds text that came from outside and whose members are used, or are given a type, without a schema. */
function unparsedIn(source: string): string[] {
  return findCalls(source, (node, callee) => UNTYPED.includes(callee) && isUsedUnparsed(node));
}

function search(houses: string, find: (source: string) => string[]): string[] {
  const files = globSync(`${houses}/**/*.{ts,js,mjs,cjs}`, { cwd: ROOT }).filter((path) => !BUILT.test(path));
  expect(files.length).toBeGreaterThan(250);
  return files.flatMap((path) => find(readFileSync(join(ROOT, path), 'utf8')).map((found) => `${path}: ${found}`));
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

  it.each([
    'JSON.parse(x).y',
    "JSON.parse(x)['y']",
    'const { y } = JSON.parse(x);',
    'const y: Y = JSON.parse(x);',
    'const y = JSON.parse(x);',
    'f({ ...JSON.parse(x) })',
    "const y = Reflect.get(x, 'y');",
  ])('are found where what was read has no schema: %s', (source) => {
    expect(unparsedIn(source)).toHaveLength(1);
  });

  it.each(['schema.parse(JSON.parse(x)).y', 'const y: unknown = JSON.parse(x);', "JSON.stringify(x)['y']"])(
    'are none where it is parsed: %s',
    (source) => {
      expect(unparsedIn(source)).toStrictEqual([]);
    },
  );

  it('are nowhere: what comes from outside is parsed', () => {
    expect(search(HOUSES, castsIn)).toStrictEqual([]);
  });

  // A test may read members of what it has received: it fails if they are not there.
  it('are nowhere in what is no test: what was read has a schema before it is used', () => {
    expect(search(HOUSES.replace(',test', ''), unparsedIn)).toStrictEqual([]);
  });
});

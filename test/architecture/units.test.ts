import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const GENERATED = /^(?:client\/api\.ts$|(?:client|console)\/build\/)/;

/** Names of constants are taken apart into words: `MAX_WAIT_S` as well as `maxWaitS`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toUpperCase()
    .split('_');
}

const TIME =
  /^(?:TIME|TIMEOUT|WAIT|PAUSE|DELAY|AGE|BUDGET|INTERVAL|PERIOD|DURATION|LEASE|LIFETIME|EXPIRY|TTL|AFTER)S?$/;

/**
 * Returns true if a name hides the unit of its number. A time has its unit in its name, however small it is; any other
 * number from 1000 on has a unit too, or says in the plural what it counts.
 */
function hidesUnit(names: readonly string[], value: number): boolean {
  const words = names.map(wordsOf);
  if (words.some((all) => ['MS', 'S', 'BYTES'].includes(all.at(-1) ?? ''))) return false;
  const own = words.at(-1) ?? [];
  if (own.some((word) => TIME.test(word))) return true;
  return value >= 1_000 && !own.some((word) => word.endsWith('S'));
}

const OPERATORS: ReadonlyMap<ts.SyntaxKind, (left: number, right: number) => number> = new Map([
  [ts.SyntaxKind.PlusToken, (left, right) => left + right],
  [ts.SyntaxKind.MinusToken, (left, right) => left - right],
  [ts.SyntaxKind.AsteriskToken, (left, right) => left * right],
  [ts.SyntaxKind.SlashToken, (left, right) => left / right],
  [ts.SyntaxKind.AsteriskAsteriskToken, (left, right) => left ** right],
]);

/** Calculates with numbers that stand in the source; `undefined` for all else. */
function numberOf(node: ts.Expression): number | undefined {
  if (ts.isNumericLiteral(node)) return Number(node.text);
  if (ts.isParenthesizedExpression(node)) return numberOf(node.expression);
  if (!ts.isBinaryExpression(node)) return undefined;
  const [left, right] = [numberOf(node.left), numberOf(node.right)];
  if (left === undefined || right === undefined) return undefined;
  return OPERATORS.get(node.operatorToken.kind)?.(left, right);
}

function unwrap(node: ts.Expression): ts.Expression {
  return ts.isAsExpression(node) || ts.isSatisfiesExpression(node) ? unwrap(node.expression) : node;
}

function hiddenUnits(names: readonly string[], initializer: ts.Expression): string[] {
  const node = unwrap(initializer);
  if (ts.isObjectLiteralExpression(node)) {
    return node.properties.flatMap((member) =>
      ts.isPropertyAssignment(member) && ts.isIdentifier(member.name)
        ? hiddenUnits([...names, member.name.text], member.initializer)
        : [],
    );
  }
  if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap((element) => hiddenUnits(names, element));
  const value = numberOf(node);
  return value !== undefined && hidesUnit(names, value) ? [names.join('.')] : [];
}

/** Finds the constants in capital letters, whose numbers mean the same everywhere. */
function constantsWithoutUnit(source: string): string[] {
  const { statements } = ts.createSourceFile('x.ts', source, ts.ScriptTarget.Latest);
  const declarations = statements
    .filter(ts.isVariableStatement)
    .flatMap(({ declarationList }) => [...declarationList.declarations]);
  return declarations.flatMap(({ name, initializer }) =>
    ts.isIdentifier(name) && /^[A-Z][A-Z0-9_]*$/.test(name.text) && initializer
      ? hiddenUnits([name.text], initializer)
      : [],
  );
}

/** Tools and tests count the `times` of a fault, and have moments such as NOW. */
const FILES = ['functions', 'shared', 'infra', 'local', 'paper', 'client', 'console']
  .flatMap((house) => globSync(`${house}/**/*.{ts,js,mjs,cjs}`, { cwd: ROOT }))
  .filter((path) => !GENERATED.test(path))
  .sort();

function search(find: (source: string) => string[]): string[] {
  return FILES.flatMap((path) => find(readFileSync(`${ROOT}${path}`, 'utf8')).map((found) => `${path}: ${found}`));
}

describe('constants', () => {
  it.each([
    ['const STOP = 28_000;', 'STOP'],
    ['export const READ_LIMIT = 15 * 1_000;', 'READ_LIMIT'],
    ['const MAX_WAIT = 30;', 'MAX_WAIT'],
    ['const CACHE: number = (2 + 1) * 60_000;', 'CACHE'],
    ['const CAPACITY = 10_000;', 'CAPACITY'],
    ['const LIMITS = { drainTime: 5, sizeBytes: 4_096, stop: 28_000 } as const;', 'LIMITS.drainTime LIMITS.stop'],
    ['const PAUSES = [0, 300];', 'PAUSES PAUSES'],
    ['const LOOK_UP_PAUSE = [0, 300] satisfies number[];', 'LOOK_UP_PAUSE LOOK_UP_PAUSE'],
  ])('are found without a unit: %s', (source, found) => {
    expect(constantsWithoutUnit(source).join(' ')).toBe(found);
  });

  it.each([
    'const STOP_MS = 28_000;',
    'const PREFLIGHT_MAX_AGE_S = 600;',
    'const MAX_BODY_BYTES = 16 * 1024;',
    'const MAX_TOKENS = 1_000;',
    'const RETRY_PAUSE_MS = { min: 50, max: 200 };',
    'const LIMITS = { drainMs: 5_000, maxRequestsPerSocket: 10_000, maxSockets: 256 };',
    'const CHAIN_ID = 137;',
    'const LOT = 10_000n;',
    'const wait = 5_000;',
    'const ROUTES = { health: { path: "/health" } };',
  ])('may be named so: %s', (source) => {
    expect(constantsWithoutUnit(source)).toStrictEqual([]);
  });

  it('have the unit of their number in their name', () => {
    expect(search(constantsWithoutUnit)).toStrictEqual([]);
  });
});

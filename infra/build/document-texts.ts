import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';
import type Ts from 'typescript';

/** The tables of the sources that explain themselves, and the members that only documents and help texts are made of. */
const TABLES = /[\\/]shared[\\/](?:errors|settings[\\/]table)\.ts$/;
const TEXTS: ReadonlySet<string> = new Set(['when', 'meaning']);

/** Finds where the texts stand: of a literal that is written in one piece or joined of several. */
function textsIn(ts: typeof Ts, source: Ts.SourceFile): readonly Ts.Expression[] {
  const found: Ts.Expression[] = [];
  const visit = (node: Ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name) && TEXTS.has(node.name.text)) {
      found.push(node.initializer);
    } else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Leaves the texts out of what is deployed, where nobody reads them. */
export function withoutDocumentTexts(): Plugin {
  return {
    name: 'without-document-texts',
    setup: async (build) => {
      // Loaded only here: --help and the tests of templates build nothing.
      const { default: ts } = await import('typescript');
      build.onLoad({ filter: TABLES }, async ({ path }) => {
        let contents = await readFile(path, 'utf8');
        const source = ts.createSourceFile(path, contents, ts.ScriptTarget.Latest);
        for (const text of textsIn(ts, source).toReversed()) {
          contents = `${contents.slice(0, text.getStart(source))}''${contents.slice(text.end)}`;
        }
        return { contents, loader: 'ts' };
      });
    },
  };
}

import { basename } from 'node:path';
import type { Metafile } from 'esbuild';

/** Sizes in bytes of the code that a function can load: its own, and its part of the layer. */
export type Sizes = ReadonlyMap<string, { readonly own: number; readonly layer: number }>;

type Outputs = Metafile['outputs'];

/** The entries with everything that they import, at their start or later. */
function reachable(outputs: Outputs, entries: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const queue = [...entries];
  for (const path of queue) {
    if (seen.has(path)) continue;
    seen.add(path);
    const imports = outputs[path]?.imports ?? [];
    queue.push(...imports.filter(({ external }) => !external).map((item) => item.path));
  }
  return seen;
}

function bytesOf(outputs: Outputs, paths: Iterable<string>): number {
  return [...paths].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}

function codeFiles(outputs: Outputs): string[] {
  return Object.keys(outputs).filter((path) => path.endsWith('.mjs'));
}

/** Names of the layer's files that a bundle imports. */
function layerImports(outputs: Outputs): ReadonlySet<string> {
  const external = Object.values(outputs).flatMap(({ imports }) => imports.filter((item) => item.external));
  return new Set(external.map(({ path }) => basename(path)));
}

/** Sums up what each function loads, from what esbuild knows of its output. */
export function measure(functions: ReadonlyMap<string, Metafile>, layer: Metafile): Sizes {
  const sizes = [...functions].map(([name, { outputs }]) => {
    const wanted = layerImports(outputs);
    const entries = codeFiles(layer.outputs).filter((path) => wanted.has(basename(path)));
    const own = bytesOf(outputs, codeFiles(outputs));
    return [name, { own, layer: bytesOf(layer.outputs, reachable(layer.outputs, entries)) }] as const;
  });
  return new Map(sizes);
}

/** Writes the sizes of a build as a table. */
export function formatSizes(sizes: Sizes): string {
  const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
  const rows = [...sizes].map(([name, { own, layer }]) => {
    return `${name.padEnd(8)} ${kilobytes(own + layer).padStart(9)} = ${kilobytes(own)} + ${kilobytes(layer)} of the layer`;
  });
  return rows.join('\n');
}

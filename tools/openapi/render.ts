import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../shared/command-line.ts';

/** Nothing is loaded from anywhere: the page works without a network, and does not report its readers to anybody. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; worker-src blob:";

const OPTIONS = {
  expandResponses: '200,201',
  hideDownloadButton: true,
  jsonSampleExpandLevel: 'all',
  sortTagsAlphabetically: false,
  theme: { typography: { fontFamily: 'system-ui, sans-serif', headings: { fontFamily: 'system-ui, sans-serif' } } },
} as const;

/** The renderer's logo, which it would load from its maker. */
const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';
const NO_IMAGE = 'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22/%3E';

/** JSON as it can stand in a script of a page. */
function inScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/** Looked for at once, so that the process says which package is missing. */
const RENDERER = fileURLToPath(import.meta.resolve('redoc/bundles/redoc.standalone.js'));

/** The document as one page, with the renderer in it. */
async function renderPage(): Promise<string> {
  // Loaded only here: `--help` does without.
  const { createDocument } = await import('./document.ts');
  const renderer = await readFile(RENDERER, 'utf8');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Order book adapter: HTTP API</title>
<style>body { margin: 0 } * { scrollbar-width: thin }</style>
</head>
<body>
<main id="api"></main>
<script>${renderer.replaceAll('</script', '<\\/script').replaceAll(LOGO, NO_IMAGE)}</script>
<script>Redoc.init(${inScript(createDocument())}, ${inScript(OPTIONS)}, document.getElementById('api'))</script>
</body>
</html>
`;
}

const COMMAND = {
  purpose: 'Renders openapi.json as one page, docs/api.html, which loads nothing from anywhere.',
  usage: 'npm run docs',
  options: {},
} as const;

process.exitCode = await runCommand(COMMAND, async () => {
  await writeFile(join(import.meta.dirname, '../../docs/api.html'), await renderPage());
  process.stdout.write('docs/api.html\n');
  return 0;
});

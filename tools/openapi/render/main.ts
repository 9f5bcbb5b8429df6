import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../../local/command-line.ts';

const ROOT = join(import.meta.dirname, '../../..');
const RENDERER = join(import.meta.dirname, 'node_modules/redoc/bundles/redoc.standalone.js');

/** Forbids the page to load anything: it works without a network, and reports its readers to nobody. */
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

/** Makes one page of the document and the renderer. In a script, JSON must not contain a tag. */
function makePage(document: string, renderer: string): string {
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
<script>Redoc.init(${document.replaceAll('<', '\\u003c')}, ${JSON.stringify(OPTIONS)}, document.getElementById('api'))</script>
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
  const document = await readFile(join(ROOT, 'openapi.json'), 'utf8');
  await writeFile(join(ROOT, 'docs/api.html'), makePage(document, await readFile(RENDERER, 'utf8')));
  process.stdout.write('docs/api.html\n');
  return 0;
});

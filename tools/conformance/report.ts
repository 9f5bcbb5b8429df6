import type { Report, Result } from './suite.ts';

const WORDS = { passed: 'ok', failed: 'FAIL', skipped: 'skip' } as const;

const KEY_UNCHECKED =
  'Only listed clients may order, so no order reached the wallet key: give --client-key-file to check it.\n';

/** Longer names push their time to the right. */
const NAME_WIDTH = 96;

/** A result as a line of the table for the terminal. */
export function formatResult({ group, name, verdict, reason, milliseconds }: Result): string {
  const time = verdict === 'skipped' ? '' : `${milliseconds} ms`;
  const row = `${WORDS[verdict].padEnd(4)}  ${`${group}: ${name}`.padEnd(NAME_WIDTH)}  ${time.padStart(8)}`;
  if (verdict === 'failed') return `${row}\n      ${reason}\n`;
  return verdict === 'skipped' ? `${row}  (${reason})\n` : `${row}\n`;
}

/** The end of the table. Says what kind of service it was: a deployment may be read-only by mistake. */
export function formatSummary({ mode, results, unseen, isKeyUnchecked }: Report): string {
  const count = (wanted: Result['verdict']) => results.filter(({ verdict }) => verdict === wanted).length;
  return `
${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped.
${unseen.length} documented answers were not provoked; most of them only the venue or the operator can provoke.
The service is ${mode}.
${isKeyUnchecked ? KEY_UNCHECKED : ''}`;
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // Control characters are not XML, escaped or not.
  return text.replace(/[&<>"]/g, (char) => entities[char] ?? char).replace(/[^\t\n\x20-\uFFFD]/g, '?');
}

function testCase({ group, name, verdict, reason = '', milliseconds }: Result): string {
  const open = `    <testcase classname="${escapeXml(group)}" name="${escapeXml(name)}" time="${milliseconds / 1000}"`;
  if (verdict === 'passed') return `${open}/>`;
  const tag = verdict === 'failed' ? 'failure' : 'skipped';
  return `${open}>\n      <${tag} message="${escapeXml(reason)}"/>\n    </testcase>`;
}

/** The results as JUnit's XML, which CI systems read. */
export function formatJunit({ results }: Report): string {
  const count = (wanted: Result['verdict']) => results.filter(({ verdict }) => verdict === wanted).length;
  const time = results.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  const counts = `tests="${results.length}" failures="${count('failed')}" skipped="${count('skipped')}" time="${time}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="conformance" ${counts}>`,
    ...results.map(testCase),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

import { NEEDS } from '../../test/contract/check.ts';
import type { Result } from '../../test/contract/run.ts';
import type { Report } from './conform.ts';

const WORDS = { passed: 'ok', failed: 'FAIL', skipped: 'skip' } as const;

const KEY_UNCHECKED =
  'Only listed clients may order, so no order reached the wallet key: give --client-key-file to check it.\n';

/** Longer names push their time to the right. */
const NAME_WIDTH = 96;

const OUT_OF_REACH: readonly (string | undefined)[] = [NEEDS['paper venue'].without, NEEDS.process.without];

/** A result as a line of the table for the terminal; none for a check that can run at no URL. */
export function formatResult({ section, clause, verdict, reason, milliseconds }: Result): string {
  if (OUT_OF_REACH.includes(reason)) return '';
  const time = verdict === 'skipped' ? '' : `${milliseconds} ms`;
  const row = `${WORDS[verdict].padEnd(4)}  ${`${section}: ${clause}`.padEnd(NAME_WIDTH)}  ${time.padStart(8)}`;
  if (verdict === 'failed') return `${row}\n      ${reason}\n`;
  return verdict === 'skipped' ? `${row}  (${reason})\n` : `${row}\n`;
}

/** The reason of a red run. A fault of the service fails checks that are not about it. */
function whyRed({ results, firstFault }: Report): string {
  const failed = results.find(({ verdict }) => verdict === 'failed');
  return failed ? `The first fault: ${firstFault ?? `${failed.section}: ${failed.reason}`}\n` : '';
}

/** The end of the table. Says what kind of service it was: a deployment may be read-only by mistake. */
export function formatSummary(report: Report): string {
  const { mode, results, unseen, isKeyUnchecked } = report;
  const apart = results.filter(({ reason }) => OUT_OF_REACH.includes(reason)).length;
  const count = (wanted: Result['verdict']) => results.filter(({ verdict }) => verdict === wanted).length;
  return `
${count('passed')} passed, ${count('failed')} failed, ${count('skipped') - apart} skipped.
${apart} further checks need control of the venue, the clock or the settings: npm test runs them in process.
${unseen.length} documented answers were not provoked; most of them only the venue or the operator can provoke.
The service is ${mode}.
${whyRed(report)}${isKeyUnchecked ? KEY_UNCHECKED : ''}`;
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  // Control characters are not XML, escaped or not.
  return text.replace(/[&<>"]/g, (char) => entities[char] ?? char).replace(/[^\t\n\x20-\uFFFD]/g, '?');
}

function testCase({ section, clause, verdict, reason = '', milliseconds }: Result): string {
  const open = `    <testcase classname="${escapeXml(section)}" name="${escapeXml(clause)}" time="${milliseconds / 1000}"`;
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

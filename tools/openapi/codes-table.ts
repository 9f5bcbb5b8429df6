import { ERROR_CODES, errorSpec, FINAL_CODES, type Next } from '../../shared/errors.ts';

/** What to do, in the order of the table. */
const ACTIONS: Readonly<Record<Next, string>> = {
  repeat:
    'Repeat the same request with the same key, after `Retry-After`, or 1 s and then longer; so too without any response',
  change: 'Correct the request: the same one is refused again',
  wait: 'Order again later: after `resets_at`, or once the market takes orders',
  operator:
    'Place no other order until the operator has acted. A repeat with the same key settles an order that may be live',
};

function listed(next: Next): string {
  const codes = ERROR_CODES.filter((code) => errorSpec(code).next === next);
  const byStatus = Map.groupBy(codes, (code) => errorSpec(code).status);
  return [...byStatus]
    .map(([status, these]) => `${status} ${these.map((code) => `\`${code}\``).join(', ')}`)
    .join('; ');
}

/** Lists the answers after which an order may be live. */
export function openAnswers(): string {
  const codes = ERROR_CODES.flatMap((code) => {
    const { status, mayBeLive } = errorSpec(code);
    return mayBeLive ? [`${status} \`${code}\`${mayBeLive === true ? '' : ` ${mayBeLive}`}`] : [];
  });
  return `${codes.join(', ')}, no response at all, and a 5xx of a gateway's own, which has no \`code\``;
}

const ROWS = ['repeat', 'change', 'wait', 'operator'] as const satisfies readonly Next[];

/** Breaks a paragraph into lines of at most 120 characters. */
function wrapped(paragraph: string): string {
  return paragraph.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();
}

/** The table of what has to happen after each code. */
const TABLE = [
  '| next | do | after |',
  '| --- | --- | --- |',
  ...ROWS.map((next) => `| \`${next}\` | ${ACTIONS[next]} | ${listed(next)} |`),
  '',
  wrapped(
    `Final, and replayed by the key, are 201 and the venue's own refusals (${FINAL_CODES.map((code) => `\`${code}\``).join(', ')}): a new try takes a new key.`,
  ),
  '',
  wrapped(
    `The order of a request may be live after ${openAnswers()}: place no other in its place. 409 \`order_in_progress\` says that another request decides.`,
  ),
].join('\n');

/** The page with the table. */
export const PAGE_OF_CODES = 'docs/agents.md';

/** Returns the page with the table between its marks. */
export function insertCodes(page: string): string {
  return page.replace(/(?<=<!-- codes -->\n\n).*?(?=\n\n<!-- end of codes -->)/s, () => TABLE);
}

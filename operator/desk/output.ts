import { inColumns } from '../../local/command-line.ts';
import { type Decimal, formatDecimal, PLAIN_DECIMAL } from '../../shared/decimal.ts';

export const FORMATS = ['table', 'csv', 'json'] as const;
export type Format = (typeof FORMATS)[number];

type Text = string | number | boolean | null;

/** One object of the JSON, one line of the CSV: its cells by their names. */
export type Row = Readonly<Record<string, Text | Decimal | undefined>>;

type Texts = Readonly<Record<string, Text>>;

/** A kind of report. */
export interface Sheet {
  /** The names of the cells, with blanks between them; CSV needs them even without rows. */
  readonly names: string;
  /** The headings of the short cells of a table, by their names. */
  readonly columns: Readonly<Record<string, string>>;
  /** The labels of the long cells, each of which has a line below its row. */
  readonly lines: Readonly<Record<string, string>>;
}

/** The width of most terminals. */
const WIDTH = 80;

function plain(cell: Text | undefined): string {
  if (cell === null || cell === undefined) return '-';
  return typeof cell === 'boolean' ? (cell ? 'yes' : 'no') : String(cell);
}

/** Writes the client of an order. An address without a signature is marked as a claim. */
function clientOf({ client_address: address, client_address_verified: verified, recorded }: Texts): string {
  if (recorded === null) return 'not read';
  if (!recorded) return 'unknown: the order is not in the records';
  return address === null ? 'none was named' : `${address} (${verified ? 'verified' : 'claimed'})`;
}

/** Ids are never truncated: a long one has a line of its own below its label. */
function line(label: string, value: string): string {
  const one = `  ${label.padEnd(11)} ${value}`;
  return one.length <= WIDTH ? one : `  ${label}\n  ${value}`;
}

function tableOf(rows: readonly Texts[], { names, columns, lines }: Sheet): string {
  const cells = rows.map((row) => Object.keys(columns).map((name) => plain(row[name])));
  const [heading = '', ...bodies] = inColumns([Object.values(columns), ...cells]);
  const blocks = rows.map((row, index) => [
    bodies[index] ?? '',
    ...(names.includes('client_address') ? [line('client', clientOf(row))] : []),
    ...Object.entries(lines).flatMap(([name, label]) => (row[name] == null ? [] : [line(label, plain(row[name]))])),
  ]);
  return `${[heading, ...blocks.flat()].join('\n')}\n`;
}

/** A spreadsheet reads such a text as a formula, unless it is a number. */
const FORMULA = /^[=+\-@\t\r]/;

function csvCell(cell: Text): string {
  const text = cell === null ? '' : String(cell);
  const harmless = FORMULA.test(text) && !PLAIN_DECIMAL.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Returns a row with all cells of its sheet, in their order; missing ones are `null`. */
export function complete(row: Row, { names }: Sheet): Texts {
  const textOf = (cell: Text | Decimal = null) =>
    typeof cell === 'object' && cell !== null ? formatDecimal(cell) : cell;
  return Object.fromEntries(names.split(' ').map((name) => [name, textOf(row[name])]));
}

export function report(found: readonly Row[], format: Format, sheet: Sheet): string {
  const rows = found.map((row) => complete(row, sheet));
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  if (format === 'table') return rows.length === 0 ? '' : tableOf(rows, sheet);
  const lines = rows.map((row) => Object.values(row).map(csvCell).join(','));
  return `${[sheet.names.replaceAll(' ', ','), ...lines].join('\n')}\n`;
}

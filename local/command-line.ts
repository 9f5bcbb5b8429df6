import { fstatSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { nearestOf } from '../shared/nearest.ts';
import { errorCode } from '../shared/node-error.ts';
import { KEY_LIKE } from '../shared/secret.ts';
import { VERSION } from '../shared/version.ts';

/** An option as Node parses it, and as the list of options explains it. */
interface Option {
  readonly type: 'boolean' | 'string';
  readonly default?: boolean | string;
  readonly multiple?: boolean;
  /** Name of the value in the list, such as FILE. */
  readonly value?: string;
  readonly meaning: string;
}

export type Options = Readonly<Record<string, Option>>;

/** A command, as `--help` explains it. */
export interface Command<O extends Options> {
  /** One sentence about the command. */
  readonly purpose: string;
  /** Lines that show how it is called. */
  readonly usage: string;
  readonly options: O;
  /** True if the command takes arguments besides its options, such as ids. */
  readonly operands?: boolean;
  /** Words to suggest for an unexpected argument. */
  readonly words?: readonly string[];
  /** What to suggest for words and options (without dashes) that people try. */
  readonly meant?: Readonly<Record<string, string>>;
  /** Printed after the options, by `--help` only. */
  readonly notes?: string;
}

/** The part of a process that a command needs, and the person at its terminal. */
export interface Terminal {
  readonly args: readonly string[];
  readonly out: (text: string) => unknown;
  readonly err: (text: string) => unknown;
  /** Asks the person; absent if there is none. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  /** Writes to the output, and rejects if its reader has gone. */
  readonly deliver?: (text: string) => Promise<unknown>;
  /** Stops a command that would otherwise run for ever. */
  readonly stop?: AbortSignal;
}

/** Creates an option without a value. */
export function flag(meaning: string) {
  return { type: 'boolean', default: false, meaning } as const;
}

/** Creates an option with a value, which the list of options calls `value`. */
export function option(value: string, meaning: string) {
  return { type: 'string', value, meaning } as const;
}

/** Thrown for a malformed command line. The message repeats no value, which may be a secret. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const EVERYWHERE = {
  help: { ...flag('print this'), short: 'h' },
  version: flag('print the version'),
} as const;

export const THIS_PROCESS: Terminal = {
  args: process.argv.slice(2),
  // On a full disk the stream would write a part of a file and report success.
  out: (text) => (fstatSync(1).isFile() ? writeFileSync(1, text) : process.stdout.write(text)),
  err: (text) => process.stderr.write(text),
};

// Without a listener, a reader that ends early, such as `head`, would end the command with a stack.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

export type Values<O extends Options> = ReturnType<typeof read<O>>['values'];

export function inColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widthOf = (column: number) => Math.max(...rows.map((row) => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function listOf(options: Options): string {
  const rows = Object.entries({ ...options, ...EVERYWHERE }).map(([name, option]: [string, Option]) => {
    const preset = typeof option.default === 'string' ? ` (default ${option.default})` : '';
    return [`--${name}${option.value === undefined ? '' : ` ${option.value}`}`, option.meaning + preset] as const;
  });
  return inColumns(rows)
    .map((line) => `  ${line}\n`)
    .join('');
}

function usageOf({ usage, options }: Command<Options>): string {
  return `Usage: ${usage}\n\n${listOf(options)}`;
}

/** Ends a sentence about a wrong word: suggests a similar one, if there is one. */
function asking(typed: string, words: readonly string[], meant: string | undefined): string {
  const nearest = typed === '' || words.length === 0 ? undefined : nearestOf(typed, words);
  const right = meant ?? (nearest?.isNear ? nearest.name : undefined);
  return right === undefined ? '.' : `: did you mean ${right}?`;
}

/** Translates an error of `parseArgs`: its message quotes the option or the argument, which may be a secret. */
function sentenceOf(error: unknown, { options, words = [], meant = {} }: Command<Options>): unknown {
  const code = errorCode(error);
  if (!code?.startsWith('ERR_PARSE_ARGS')) return error;
  const [, quoted = ''] = /'(.*?)[' ]/.exec(String(error)) ?? [];
  const typed = /^(?:--?)?[a-z][a-z-]{0,30}$/i.test(quoted) ? quoted : '';
  const shown = typed && ` '${typed}'`;
  if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') {
    return new UsageError(`Unexpected argument${shown}${asking(typed, words, meant[typed])}`);
  }
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const names = Object.keys({ ...options, ...EVERYWHERE }).map((name) => `--${name}`);
    return new UsageError(`Unknown option${shown}${asking(typed, names, meant[typed.replace(/^-+/, '')])}`);
  }
  const wants = /does not take/.test(String(error)) ? 'takes no value' : 'needs a value';
  return new UsageError(`Option${shown} ${wants}.`);
}

function read<const O extends Options>(command: Command<O>, args: readonly string[]) {
  const { options, operands = false } = command;
  try {
    const parsed = parseArgs<{
      readonly args: string[];
      readonly options: O & typeof EVERYWHERE;
      readonly allowPositionals: boolean;
      readonly tokens: true;
    }>({ args: [...args], options: { ...options, ...EVERYWHERE }, allowPositionals: operands, tokens: true });
    for (const [name, value] of Object.entries(parsed.values)) {
      if ([value].flat().includes('')) throw new UsageError(`Option '--${name}' needs a value.`);
      if (/^(?:FILE|NAME)$/.test(options[name]?.value ?? '') && KEY_LIKE.test(String(value))) {
        throw new UsageError(`Option '--${name}' takes a name, not a key.`);
      }
      // Node takes the last value: with two clients, the orders of the first would stay on the book.
      const given = parsed.tokens.filter((token) => token.kind === 'option' && token.name === name);
      if (typeof value === 'string' && given.length > 1) throw new UsageError(`Option '--${name}' is given twice.`);
    }
    return parsed;
  } catch (error) {
    throw sentenceOf(error, command);
  }
}

/**
 * Reads a command line and runs the command. Returns the exit code: that of `run`; 2 with the list of options after a
 * `UsageError`, or a sentence on misuse that `run` returns; 1 with the stack after any other error, which is a fault of this program.
 */
export async function runCommand<const O extends Options>(
  command: Command<O>,
  run: (values: Values<O>, operands: readonly string[]) => Promise<number | string> | number | string,
  { args, out, err }: Terminal = THIS_PROCESS,
): Promise<number> {
  const { purpose, notes } = command;
  try {
    const { values, positionals } = read(command, args);
    const { help, version }: { readonly help?: unknown; readonly version?: unknown } = values;
    if (help || version) {
      out(help ? `${purpose}\n\n${usageOf(command)}${notes === undefined ? '' : `\n${notes}`}` : `${VERSION}\n`);
      return 0;
    }
    const ended = await run(values, positionals);
    if (typeof ended === 'string') throw new UsageError(ended);
    return ended;
  } catch (error) {
    if (!(error instanceof UsageError)) {
      err(`${error instanceof Error ? error.stack : error}\n`);
      return 1;
    }
    err(`${error.message}\n\n${usageOf(command)}`);
    return 2;
  }
}

/** Reads the whole number of an option; throws `UsageError`. */
export function wholeNumber(option: string, text: string, [least, most]: readonly [number, number]): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${option} must be a whole number from ${least} to ${most}.`);
}

/** Reads an option that must be one of some names; throws `UsageError` with all of them. */
export function oneOf<T extends string>(option: string, text: string, names: readonly T[]): T {
  const found = names.find((name) => name === text);
  if (found === undefined) throw new UsageError(`--${option} must be one of: ${names.join(', ')}.`);
  return found;
}

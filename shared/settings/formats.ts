/**
 * Settings that the operator has to change. The message is one sentence a line: each names a setting and says what it
 * takes, never the value.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** A sentence to the operator; `false` or `undefined` where a rule is kept. */
export type Sentence = string | false | undefined;

/** Keeps the sentences; drops `false` and `undefined`. */
export function sentencesOf(sentences: readonly Sentence[]): readonly string[] {
  return sentences.filter((sentence) => typeof sentence === 'string');
}

/** Throws one `ConfigError` with all sentences, if there are any. */
export function throwProblems(sentences: readonly Sentence[]): void {
  const problems = sentencesOf(sentences);
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}

/** A kind of value that is written as text. No schema library: the functions that only read load none. */
export interface TextFormat<T> {
  /** Completes the sentence "… must be" about a malformed text, which is left out: it may be a secret. */
  readonly rule: string;
  /** Returns `undefined` for a malformed text. */
  readonly parse: (text: string) => T | undefined;
}

/** Parses a text; throws `ConfigError` naming `name`. */
export function parseText<T>(text: string, name: string, { rule, parse }: TextFormat<T>): T {
  const value = parse(text);
  if (value === undefined) throw new ConfigError(`${name} must be ${rule}.`);
  return value;
}

export function formatBy<T>(rule: string, parse: (text: string) => T | undefined): TextFormat<T> {
  return { rule, parse };
}

export function matching(rule: string, pattern: RegExp) {
  return formatBy(rule, (text) => (pattern.test(text) ? text : undefined));
}

export function anyOf<const T extends readonly string[]>(values: T): TextFormat<T[number]> {
  return formatBy(`one of ${values.join(', ')}`, (text) => values.find((value) => value === text));
}

/** Creates the format of ARNs of a kind of resource, whose ids begin with `prefix`. */
export function arnOf(what: string, service: string, prefix = '') {
  return matching(`the ARN of ${what}`, new RegExp(`^arn:[\\w-]+:${service}:[\\w-]+:\\d{12}:${prefix}[\\w-]+$`));
}

/**
 * Creates the format of comma-separated lists; `parseEntry` returns `undefined` for a malformed entry. A list without an
 * entry is malformed: it would restrict nothing.
 */
export function commaListOf(rule: string, parseEntry: (entry: string) => string | undefined) {
  return formatBy(`${rule}, comma-separated, at least one`, (text): readonly string[] | undefined => {
    const entries = text.split(',').map((entry) => entry.trim());
    const values = entries.filter((entry) => entry !== '').map(parseEntry);
    return values.length > 0 && values.every((entry) => entry !== undefined) ? values : undefined;
  });
}

export function integer(least: number, most: number) {
  return formatBy(`a whole number from ${least} to ${most}`, (text) => {
    const value = /^(?:0|[1-9]\d{0,8})$/.test(text) ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : undefined;
  });
}

import * as z from 'zod/mini';

/** Colours a text, or returns it unchanged where colours are not wanted. */
export type Paint = (style: 'dim' | 'green' | 'yellow' | 'red', text: string) => string;

const anyLine = z.looseObject({
  time: z.string(),
  level: z.string(),
  message: z.string(),
  status: z.optional(z.int()),
});

/**
 * Escapes characters that a terminal obeys or does not show. The log contains addresses, paths and sentences of others,
 * which must not move the cursor, hide a line or reverse its direction.
 */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function valueText(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value);
}

function colourOf(level: string, status: number) {
  if (level === 'error' || status >= 500) return 'red';
  if (level === 'warn' || status >= 400) return 'yellow';
  return 'green';
}

/**
 * Creates the formatter of log lines for a person at a terminal. It turns a line of JSON into the time of day, the level,
 * the message and the members that have a value, as `name=value`.
 */
export function createReadableLog(paint: Paint): (line: string) => string {
  return (line) => {
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch {
      return visible(line);
    }
    const { success, data } = anyLine.safeParse(parsed);
    if (!success) return visible(line);
    const { time, level, message, ...members } = data;
    const values = Object.entries(members).filter(([, value]) => value !== null && String(value) !== '');
    const words = [message, ...values.map(([name, value]) => `${name}=${valueText(value)}`)];
    const at = paint('dim', new Date(time).toTimeString().slice(0, 8));
    return `${at} ${paint(colourOf(level, members.status ?? 0), level)} ${visible(words.join(' '))}`;
  };
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for an object of parsed JSON. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** Returns a text of a parsed JSON object; `undefined` if it has none of this name. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Returns true for an object of parsed JSON. */
export function isRecord(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null;
}

/** Returns a text of a parsed JSON object; `undefined` if it has none of this name. */
export function textOf(value: unknown, name: string): string | undefined {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' ? member : undefined;
}

/** Returns the objects in a list of a parsed JSON object; none if it has no list of this name. */
export function listOf(value: unknown, name: string): readonly JsonObject[] {
  const member = isRecord(value) ? value[name] : undefined;
  return Array.isArray(member) ? member.filter(isRecord) : [];
}

/** Writes a time in RFC 3339, UTC, whole seconds. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** Returns the milliseconds of a time; `undefined` unless it is as `formatTime` writes it. */
export function parseTime(text: string): number | undefined {
  const milliseconds = Date.parse(text);
  return Number.isFinite(milliseconds) && formatTime(milliseconds) === text ? milliseconds : undefined;
}

/** Drops the oldest entry of a map that has more than `max`. */
export function dropOldest<K>(entries: Map<K, unknown>, max: number): void {
  const [oldest] = entries.size > max ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
}

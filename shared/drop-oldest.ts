/** Drops the entry that was put into a map first, where there are more than `max`. */
export function dropOldest<K>(entries: Map<K, unknown>, max: number): void {
  const [oldest] = entries.size > max ? entries.keys() : [];
  if (oldest !== undefined) entries.delete(oldest);
}

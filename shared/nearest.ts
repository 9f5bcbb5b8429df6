/** Counts the insertions, deletions and replacements that turn one word into another (Levenshtein). */
function editDistance(from: string, to: string): number {
  // Distances from the letters so far to each prefix of the other word.
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const letter of from) {
    const above = row;
    row = above.slice(0, 1).map((distance) => distance + 1);
    for (const [index, other] of [...to].entries()) {
      const [replaced = 0, left = 0, inserted = 0] = [above[index], above[index + 1], row[index]];
      row.push(Math.min(replaced + (letter === other ? 0 : 1), left + 1, inserted + 1));
    }
  }
  return row.at(-1) ?? 0;
}

/** Finds the name that a misspelt one is closest to; `isNear`: at most a third of its letters differ. */
export function nearestOf(misspelt: string, names: readonly string[]) {
  const bare = (name: string) => name.toLowerCase().replace('service_', '');
  const found = names.map((name) => ({ name, distance: editDistance(bare(misspelt), bare(name)) }));
  const { name, distance } = found.reduce((best, each) => (each.distance < best.distance ? each : best));
  return { name, isNear: distance <= Math.max(2, bare(name).length / 3) };
}

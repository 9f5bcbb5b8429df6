/** Numbers from 0 up to 1, the same for the same seed. */
export interface Random {
  (): number;
  pick<T>(values: readonly T[]): T;
}

/** Mulberry32: small, and good enough to choose faults by. */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pick = <T>(values: readonly T[]): T => {
    const value = values[Math.floor(next() * values.length)];
    if (value === undefined) throw new Error('There is nothing to pick from.');
    return value;
  };
  return Object.assign(next, { pick });
}

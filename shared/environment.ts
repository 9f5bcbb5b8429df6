/** A malformed setting. The message names the variable and says what it takes; it never holds the value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** An empty variable is an absent one. */
export function readText(env: Environment, name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

export function readList(env: Environment, name: string): string[] {
  const entries = (readText(env, name) ?? '').split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '');
}

export function readOneOf<T extends string>(env: Environment, name: string, values: readonly T[], fallback: T): T {
  const text = readText(env, name);
  if (text === undefined) return fallback;
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) throw new ConfigError(`${name} must be one of ${values.join(', ')}.`);
  return value;
}

/** Computes a value when it is first asked for, so that no start waits for what nobody asks for. */
export function once<T>(compute: () => T): () => T {
  let computed: { readonly value: T } | undefined;
  return () => {
    computed ??= { value: compute() };
    return computed.value;
  };
}

/** Computes a value of each object when it is first asked for; it is forgotten with the object. */
export function oncePer<K extends WeakKey, V>(compute: (key: K) => V): (key: K) => V {
  const computed = new WeakMap<K, { readonly value: V }>();
  return (key) => {
    const known = computed.get(key);
    if (known) return known.value;
    const value = compute(key);
    computed.set(key, { value });
    return value;
  };
}

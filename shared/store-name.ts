const TABLE_PREFIX = 'dynamodb:';

/** Returns the name of a store that is a table of DynamoDB. */
export function storeOfTable(name: string): string {
  return TABLE_PREFIX + name;
}

/** Returns the name of the table of a store; `undefined` for a store that is a file. */
export function tableNameOf(store: string): string | undefined {
  return store.startsWith(TABLE_PREFIX) ? store.slice(TABLE_PREFIX.length) : undefined;
}

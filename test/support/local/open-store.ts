import { flushCompileCache } from 'node:module';
import { openOrderStore } from '../../../local/order-store/store.ts';
import { createLog } from '../../../shared/log.ts';

// A process that does to a store what it is told, line by line, and answers each: `create KEY`, `read KEY` or `open`.
const [path = ''] = process.argv.slice(2);
const store = openOrderStore({ path, log: createLog({ level: 'error' }) });
const { unfinishedOrder } = await import('../orders/order-records.ts');
const { createInterface } = await import('node:readline');
// Now, since nothing is kept at the end of a process that is killed.
flushCompileCache();

async function answer(line: string): Promise<string> {
  const [ask, key = ''] = line.split(' ');
  if (ask === 'open') return store.open();
  if (ask === 'create') return String(await store.create(key, unfinishedOrder(key)));
  return (await store.read(key)) ? 'known' : 'unknown';
}

for await (const line of createInterface({ input: process.stdin })) {
  const said = await answer(line).catch((error: unknown) => `failed: ${String(error)}`);
  process.stdout.write(`${said}\n`);
}
await store.close();

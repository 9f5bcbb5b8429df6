import { DatabaseSync } from 'node:sqlite';

// A process that holds the lock of a store, says so, and waits to be killed.
const [path = ''] = process.argv.slice(2);
const db = new DatabaseSync(path, { timeout: 30_000 });
db.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
setInterval(() => db.isOpen, 60_000);

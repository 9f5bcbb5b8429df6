import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { openOrderStore } from '../../local/file-store/store.ts';
import { runDesk } from '../../operator/commands/commands.ts';
import { openLooks } from '../../operator/follow/read.ts';
import { newState } from '../../operator/follow/state.ts';
import { KEEP_MS } from '../../shared/limits.ts';
import { encodeRecord, type OrderRecord } from '../../shared/orders/record.ts';
import { Secret } from '../../shared/secret.ts';
import { type Bench, inTurn, type RowName } from './bench.ts';
import { askNumber, ORDERS, startService, startVenue } from './processes.ts';
import { orderIdOf } from './venue/account.ts';
import { CREDENTIALS, TOKEN_ID } from './venue/records.ts';

/** Records of a year and more, and of a first day; the account's orders of the venue are among both. */
const [MANY, FEW, OF_ACCOUNT] = [1_000_000, 1_000, 1_000];
/** Orders of a round. */
const KEYED = 200;
const [ROOT, ADDRESS] = [join(import.meta.dirname, '..', '..'), `0x${'11'.repeat(20)}`];

/** The record of a finished order, as large as a real one. */
function recordOf(orderId: string, signedAt: number): OrderRecord {
  const fills = { filledSize: '0', remainingSize: '10', filledValue: '0', transactionHashes: [], tradeIds: [] };
  return {
    ...{ state: 'finished', orderId, signedAt, keepUntil: signedAt + KEEP_MS, countedOn: null, caller: null },
    terms: { tokenId: TOKEN_ID, side: 'buy', price: '0.51', size: '10', postOnly: true, expiresAt: null },
    ...{ conditionId: `0x${'cd'.repeat(32)}`, walletAddress: ADDRESS, requestId: randomUUID() },
    signedFor: { venue: 'polymarket', chainId: 137, maker: ADDRESS, signatureType: 'eoa' },
    client: { address: ADDRESS, isVerified: true },
    answer: { result: 'placed', placement: { orderId, status: 'live', ...fills } },
  };
}

/** Fills a file with records that an earlier build could have written, and opens it: that builds the indexes. */
async function fill(path: string, count: number): Promise<string> {
  await openOrderStore(path).close();
  const db = new DatabaseSync(path);
  db.exec(
    'PRAGMA synchronous = OFF; DROP INDEX orders_by_id; DROP INDEX orders_by_signing; DROP INDEX orders_unfinished; BEGIN',
  );
  const put = db.prepare('INSERT INTO orders VALUES (?, ?, ?)');
  const [now, space] = [Date.now(), KEEP_MS - 86_400_000];
  for (let number = 0; number < count; number += 1) {
    const left = count - number;
    const id = left <= OF_ACCOUNT ? orderIdOf(left - 1) : `0x${randomUUID().replaceAll('-', '').repeat(2)}`;
    const record = recordOf(id, Math.floor(now - (space * left) / count));
    put.run(number === 0 ? 'old' : randomUUID(), encodeRecord(record), record.signedAt + KEEP_MS);
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const { size } = await stat(path);
  const store = openOrderStore(path);
  await store.close();
  const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
  return `${count} records: ${megabytes((await stat(path)).size)} MB, ${megabytes(size)} without both indexes, which took ${Math.round(store.setUpMs)} ms`;
}

/** Runs a command of the desk in a process of its own, and returns the most memory that it had, in megabytes. */
async function memoryOf(args: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const hook = 'process.on("exit", () => console.error("maxRSS " + process.resourceUsage().maxRSS))';
  const all = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`, 'operator/start.js', 'orders', ...args];
  const child = spawn(process.execPath, all, { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] });
  return Number(/maxRSS (\d+)/.exec(await text(child.stderr))?.[1]) / 1_024;
}

/** What a million records cost: each command of the desk, a look, the start and orders beside a file with a thousand. */
export const scale: Bench = async function* (share) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const [many, few] = [join(folder, 'many.db'), join(folder, 'few.db')];
  try {
    for (const [path, count] of [
      [many, MANY * share],
      [few, FEW],
    ] as const)
      process.stderr.write(`${await fill(path, count)}\n`);
    await using venue = await startVenue(0);
    const [clobUrl, { key, secret, passphrase }] = [venue.url, CREDENTIALS];
    const credentials = { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
    const envOf = (store: string) => ({
      ...{
        SERVICE_STORE: store,
        SERVICE_CLOB_URL: clobUrl,
        SERVICE_GAMMA_URL: clobUrl,
        SERVICE_WALLET_ADDRESS: ADDRESS,
      },
      ...{ SERVICE_CLOB_API_KEY: key, SERVICE_CLOB_API_SECRET: secret, SERVICE_CLOB_API_PASSPHRASE: passphrase },
    });
    const timed = async (act: () => Promise<unknown>) => {
      const started = performance.now();
      await act();
      return performance.now() - started;
    };
    const desk = async (store: string, ...args: readonly string[]) => {
      let said = '';
      const terminal = { out: () => undefined, err: (sentence: string) => (said += sentence) };
      const code = await runDesk(envOf(store), { ...terminal, args: [...args, '--settings', devNull] });
      if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${said}`);
    };
    const look = (store: string) => {
      const at = { clobUrl, gammaUrl: clobUrl, funderAddress: undefined, proxyEnv: {}, address: ADDRESS, store };
      return openLooks({ ...at, credentials, wallet: undefined }, () => undefined)(newState(), Date.now());
    };
    const compare = async (row: RowName, act: (store: string) => Promise<readonly number[]>) => {
      const [ours, theirs] = await inTurn(
        () => act(many),
        () => act(few),
      );
      return { row, ours, theirs };
    };
    const times = (act: (store: string) => Promise<unknown>) => async (store: string) => [
      await timed(() => act(store)),
    ];
    for (;;) {
      await askNumber(`${clobUrl}/bench/phase?3`);
      const samples = [
        await compare(
          'scale-show',
          times((store) => desk(store, 'show', orderIdOf(7))),
        ),
        await compare(
          'scale-open',
          times((store) => desk(store, 'open')),
        ),
        await compare(
          'scale-fills',
          times((store) => desk(store, 'fills')),
        ),
      ];
      await askNumber(`${clobUrl}/bench/phase?2`);
      samples.push(
        await compare(
          'scale-positions',
          times((store) => desk(store, 'positions', '--by-client')),
        ),
        await compare('scale-look', times(look)),
        await compare('scale-memory', async (store) => [
          await memoryOf(['positions', '--settings', devNull], envOf(store)),
        ]),
      );
      for (const row of ['scale-start', 'scale-order', 'scale-repeat'] as const) {
        samples.push(
          await compare(row, async (store) => {
            await using service = await startService(clobUrl, { ...ORDERS, SERVICE_STORE: store });
            if (row === 'scale-start') return [service.startTime];
            const all: number[] = [];
            const repeated = row === 'scale-repeat' && randomUUID();
            for (let number = 0; number < KEYED; number += 1) {
              const headers = { 'content-type': 'application/json', 'idempotency-key': repeated || randomUUID() };
              const body = JSON.stringify({ token_id: TOKEN_ID, side: 'buy', price: 0.51, size: 10, post_only: true });
              all.push(
                await timed(async () => {
                  const response = await fetch(`${service.url}/v1/orders`, { method: 'POST', headers, body });
                  await response.text();
                  if (response.status !== 201) throw new Error(`an order was answered ${response.status}`);
                }),
              );
            }
            return all.slice(1);
          }),
        );
      }
      yield samples;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

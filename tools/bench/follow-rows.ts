import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOrderStore } from '../../local/file-store/store.ts';
import { openLooks } from '../../operator/follow/read.ts';
import { newState } from '../../operator/follow/state.ts';
import { Secret } from '../../shared/secret.ts';
import type { Bench } from './bench.ts';
import { askNumber, startVenue } from './processes.ts';
import { FEWEST, PAGES } from './venue/account.ts';
import { CREDENTIALS } from './venue/records.ts';

/** The venue's own answer time: a server in the same region. */
const DELAY_MS = 25;

function fail(sentence: string): never {
  throw new Error(sentence);
}

/** One look of a follower at 1,000 open orders and 2,000 trades, of which 50 are new, after ten orders have left the book. */
export const follow: Bench = async function* () {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const store = join(folder, 'orders.db');
  await openOrderStore(store).close();
  const { key, secret, passphrase } = CREDENTIALS;
  const credentials = { key, secret: new Secret(secret), passphrase: new Secret(passphrase) };
  const address = `0x${'11'.repeat(20)}`;
  try {
    for (;;) {
      await using venue = await startVenue(DELAY_MS);
      const at = { clobUrl: venue.url, gammaUrl: venue.url, funderAddress: undefined, proxyEnv: {} };
      const look = openLooks({ ...at, address, credentials, wallet: undefined, store }, fail);
      let state = newState(Date.now() - 120_000);
      const lookIn = async (phase: number, later: number) => {
        await askNumber(`${venue.url}/bench/phase?${phase}`);
        const [requests, started] = [await askNumber(`${venue.url}/bench/requests`), performance.now()];
        const looked = await look({ ...state, wholeAt: 0 }, Date.now() + later);
        if (!looked) return fail('a look was not made');
        ({ state } = looked);
        const time = performance.now() - started;
        return {
          time,
          events: looked.events.length,
          requests: (await askNumber(`${venue.url}/bench/requests`)) - requests,
        };
      };
      await lookIn(0, 0);
      await lookIn(1, 5_000);
      const { time, events, requests } = await lookIn(2, 30_000);
      if (events !== 110) fail(`a look reported ${events} events`);
      const started = performance.now();
      // The lists have one page after the other.
      for (let page = 0; page < PAGES; page += 1) await askNumber(`${venue.url}/bench/phase?2`);
      yield [
        { row: 'look-requests', ours: [requests], theirs: [FEWEST] },
        { row: 'look-time', ours: [time], theirs: [performance.now() - started] },
      ];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

import { execFile } from 'node:child_process';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Bench, inTurn, P50, P99, percentilesOf } from '../bench.ts';
import { load } from '../load.ts';
import {
  BOOK_PATH,
  type Certificate,
  ORDER,
  startProxy,
  startVenue,
  VENUE_BOOK_PATH,
  VENUE_DELAY_MS,
} from '../services.ts';
import { SIGNED_ORDER } from '../venue/signed-order.ts';

const VENUE = "the venue's own answer over HTTPS";

/** Makes a certificate for this machine's loopback that is its own authority, by the `openssl` command. */
async function makeCertificate(directory: string): Promise<Certificate> {
  const certificate = { key: join(directory, 'key.pem'), file: join(directory, 'certificate.pem') };
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const names = ['-subj', '/CN=bench venue', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', certificate.key, '-out', certificate.file];
  await promisify(execFile)('openssl', ['req', '-x509', ...kind, ...names, ...files]);
  return certificate;
}

/** Orders and books at a venue that speaks HTTPS, as the real one does: to the service, the proxy and the client alike. */
export const https: Bench = {
  rows: [
    {
      name: 'order-p50-https',
      figure: 'order p50, HTTPS to the venue at 25 ms',
      baseline: VENUE,
      unit: 'ms',
      percentiles: P50,
    },
    {
      name: 'order-p99-https',
      figure: 'order p99, HTTPS to the venue at 25 ms',
      baseline: `${VENUE}, p50`,
      unit: 'ms',
      percentiles: P99,
    },
    {
      name: 'book-p50-https',
      figure: 'book p50, HTTPS to the venue at 25 ms',
      baseline: 'bare node:http proxy',
      unit: 'ms',
      percentiles: P50,
    },
  ],
  async *rounds(stage) {
    await using directory = await mkdtempDisposable(join(tmpdir(), 'bench-https-'));
    const certificate = await makeCertificate(directory.path);
    const env = { NODE_EXTRA_CA_CERTS: certificate.file };
    await using venue = await startVenue(VENUE_DELAY_MS, certificate);
    await using service = await stage.startService(venue.secureUrl, { env });
    await using proxy = await startProxy(venue.secureUrl, env);
    const order = (amount: number) => load({ url: `${service.url}/v1/orders`, ...ORDER, amount });
    const venueOrder = (amount: number) =>
      load({ url: `${venue.secureUrl}/order`, ...ORDER, body: SIGNED_ORDER, amount });
    const book = (url: string, amount: number) => load({ url, amount, connections: 40 });
    const measure = async (round: number, amount: number) => {
      const [placed, answered] = await Promise.all([order(amount), venueOrder(amount)]);
      const [ours, theirs] = await inTurn(
        round,
        () => book(service.url + BOOK_PATH, amount),
        () => book(proxy.url + VENUE_BOOK_PATH, amount),
      );
      return {
        'order-p50-https': percentilesOf(P50, placed, answered),
        'order-p99-https': percentilesOf(P99, placed, answered),
        'book-p50-https': percentilesOf(P50, ours, theirs),
      };
    };
    await measure(0, stage.count(500));
    for (let round = 0; ; round += 1) yield await measure(round, stage.percentileCount);
  },
};

import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createTransport, TransportError } from '../../../../../shared/venue/polymarket/http/transport.ts';
import { listenOnLoopback, shut } from '../../../../../tools/support/loopback.ts';
import { createCertificate } from '../../../../support/venue/certificate.ts';
import { callWithin, startVenue } from '../../../../support/venue/scripted-venue.ts';

const POST = { name: 'write', method: 'POST', path: '/order', body: '{"a":1}' } as const;

const known = getCACertificates('default');
let venue: Server;
let proxy: Server;
let venueUrl: string;
let proxyUrl: string;
let posts = 0;
let tunnels: (string | undefined)[] = [];
let status = 200;

beforeAll(async () => {
  const { key, cert } = createCertificate();
  setDefaultCACertificates([cert]);
  venue = createTlsServer({ key, cert }, (_request, response) => {
    posts += 1;
    response.setHeader('content-type', 'application/json');
    response.end('{}');
  });
  venueUrl = `https://localhost:${new URL(await listenOnLoopback(venue)).port}`;
  proxy = createServer();
  proxy.on('connect', ({ url }, socket) => {
    tunnels.push(url);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`);
    const upstream = connect(Number(new URL(venueUrl).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    return upstream.on('error', () => socket.destroy());
  });
  proxyUrl = await listenOnLoopback(proxy);
});

beforeEach(() => {
  [posts, tunnels, status] = [0, [], 200];
});

afterAll(async () => {
  setDefaultCACertificates(known);
  await shut(proxy);
  await shut(venue);
});

describe('a proxy between the service and the venue', () => {
  it('carries requests to an https host', async () => {
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: proxyUrl } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200, text: '{}' });
    expect([posts, tunnels]).toStrictEqual([1, [new URL(venueUrl).host]]);
  });

  it('is left out for a host of NO_PROXY', async () => {
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: proxyUrl, NO_PROXY: 'localhost' } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200 });
    expect([posts, tunnels]).toStrictEqual([1, []]);
  });

  it('is left out for an http host, which is on loopback', async () => {
    const { url } = await startVenue(() => ({ body: {} }));
    const http = createTransport(url, { proxyEnv: { HTTPS_PROXY: proxyUrl } });
    expect(await http.send(POST, callWithin())).toMatchObject({ status: 200 });
    expect(tunnels).toStrictEqual([]);
  });

  it('that refuses the tunnel sends nothing to the venue', async () => {
    status = 407;
    const http = createTransport(venueUrl, { proxyEnv: { HTTPS_PROXY: proxyUrl } });
    const error = await http.send(POST, callWithin()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ kind: 'not_connected', sent: false });
    expect([posts, tunnels.length]).toStrictEqual([0, 1]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { expectProblem, send, sendRaw } from '../../support/service/http-client.ts';
import { startTestServer } from '../../support/service/local-service.ts';

const refusalOf = (host: string) => ({
  title: 'Host not allowed',
  status: 403,
  code: 'host_not_allowed',
  detail: `Requests for the host "${host}" are refused. Ask the operator to add it to SERVICE_ALLOWED_HOSTS.`,
});

describe('the Host check', () => {
  it.each([
    '127.0.0.1',
    '127.0.0.1:8080',
    'localhost',
    'LOCALHOST:1',
    'localhost.',
    'localhost:',
    '[::1]',
    '[::1]:8080',
    '[0:0:0:0:0:0:0:1]',
    'box.local',
    'Box.Local.:443',
    '[fe80::1]:80',
  ])('lets %s pass', async (host) => {
    const { url } = await startTestServer({ allowedHosts: ['box.local', '[fe80::1]'] });
    expect((await send(url, { path: '/health', headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'evil.example:8080',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'evil.localhost',
    'localhost:8080@evil.example',
    'user@localhost',
    'localhost,evil.example',
    'localhost evil.example',
    'localhost..',
    '127.0.0.2',
    '0.0.0.0',
    '[::2]',
    '[::ffff:127.0.0.1]',
    '::1',
    'localhost:80a',
    'localhost:999999',
  ])('refuses "%s"', async (host) => {
    const { url } = await startTestServer();
    expectProblem(await send(url, { path: '/health', headers: { host } }), refusalOf(host));
  });

  it('knows the host that the service listens on', async () => {
    const { url } = await startTestServer({ host: '0.0.0.0' });
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect((await send(url, { path: '/health', headers: { host: '0.0.0.0:1' } })).status).toBe(200);
  });

  it.each(['', 'Host: localhost\r\nHost: localhost\r\n', 'Host: localhost\r\nHost: evil.example\r\n'])(
    'asks for exactly one Host, not %j',
    async (hosts) => {
      const { url } = await startTestServer();
      const [answer] = await sendRaw(url, `GET /health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
      expectProblem(answer, {
        status: 400,
        code: 'invalid_request',
        errors: [{ field: 'Host', detail: 'must be given exactly once.' }],
      });
    },
  );

  it.each([
    ['http://localhost:8080/health', 'localhost', 200],
    ['HTTP://127.0.0.1?x=1', 'localhost', 404],
    ['http://evil.example/health', 'localhost', 403],
    ['//evil.example/health', 'localhost', 404],
    ['ws://evil.example/health', 'localhost', 400],
    ['*', 'localhost', 400],
    ['/health', '', 403],
  ])('treats the target %s with Host %s as %i', async (target, host, status) => {
    const { url } = await startTestServer();
    const [answer] = await sendRaw(url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer?.status).toBe(status);
  });

  it.each([
    ['the port too', 'box.example:8443', 'box.example:8443'],
    ['what is not printable ASCII as question marks', '\xe4\x80<b>.example', '??<b>.example'],
    ['a long one in part', `${'a'.repeat(99)}bc`, `${'a'.repeat(99)}b`],
  ])('names the host that it refuses: %s', async (_what, host, named) => {
    const { url, lines } = await startTestServer();
    const request = `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
    const [answer] = await sendRaw(url, Buffer.from(request, 'latin1'));
    expectProblem(answer, refusalOf(named));
    expect(lines).toMatchObject([{ detail: refusalOf(named).detail }]);
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { Agent, createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { listenOnLoopback, shut } from './loopback.ts';

/** Debian's nginx. */
export const NGINX = '/usr/sbin/nginx';
/** The name of the site, which the service behind it has to allow. */
export const HOST = 'api.example.org';

/** The site of `deploy/nginx.conf`, without TLS, before a service; `folder` is for all that nginx writes. */
async function siteFor(folder: string, listen: string, service: string): Promise<string> {
  const changes = [
    ['server 127.0.0.1:8080;', `server ${new URL(service).host};`],
    ['listen 443 ssl;', `listen ${listen};`],
    [/ +ssl_certificate.*\n/g, ''],
    ['/var/cache/order-book-adapter', join(folder, 'cache')],
    ['/etc/nginx/order-clients', join(folder, 'order-clients')],
  ] as const;
  const site = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8');
  return changes.reduce((text, [from, to]) => {
    const changed = text.replace(from, to);
    if (changed === text) throw new Error(`deploy/nginx.conf has no ${from}`);
    return changed;
  }, site);
}

/** The part of the configuration that Debian's package brings. */
function mainOf(folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    `daemon off; pid ${folder}/pid; error_log stderr crit; worker_processes 1;`,
    'events { worker_connections 4096; }',
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    ...['http {', 'access_log off;', ...temporary.map((name) => `${name}_temp_path ${folder}/${name};`)],
    ...[`include ${folder}/site;`, '}'],
  ].join('\n');
}

/** A port of the loopback interface that was free just now. */
async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listenOnLoopback(server));
  await shut(server);
  return port;
}

/** Starts nginx before a service, as `deploy/nginx.conf` has it; orders take the user `client` with the password `secret`. */
export async function startNginx(service: string) {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'));
  const listen = `127.0.0.1:${await freePort()}`;
  await writeFile(join(folder, 'site'), await siteFor(folder, listen, service));
  await writeFile(join(folder, 'main'), mainOf(folder));
  await writeFile(join(folder, 'order-clients'), 'client:{PLAIN}secret\n');
  const child = spawn(NGINX, ['-p', folder, '-c', join(folder, 'main')], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  const url = `http://${listen}`;
  while (!(await fetch(url).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`);
    await sleep(10);
  }
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    await rm(folder, { recursive: true });
  };
  return { url, stop };
}

/** Opens the one connection of a client, from an address of its own: an address has a limit of connections and of requests. */
export function agentOf(client: number): Agent {
  const localAddress = `127.0.${1 + Math.floor(client / 250)}.${1 + (client % 250)}`;
  return new Agent({ keepAlive: true, maxSockets: 1, localAddress });
}

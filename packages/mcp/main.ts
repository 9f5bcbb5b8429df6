import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createClient, parseUnits } from '../client/client.ts';
import { createDoor } from './server.ts';

const HELP = `Serves the Order Book Adapter to an agent: five tools of the Model Context Protocol, over stdin and stdout.
Usage: npm run --silent mcp -- [options]

  --url URL             the service (default http://127.0.0.1:8080)
  --max-order AMOUNT    largest price × size of an order; needed to place orders
  --max-total AMOUNT    largest sum of price × size of all orders of this process; needed to place orders
  --client-address A    X-Client-Address of the orders
  --token-file FILE     token that the service's gateway asks for (Authorization: Bearer …)
  --no-ask              asks no person before an order, where the agent's program could
`;

const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
const TEXTS = { 'max-order': text, 'max-total': text, 'client-address': text, 'token-file': text } as const;
const URL_OPTION = { type: 'string', default: 'http://127.0.0.1:8080' } as const;

/** Adds the token to each request; a redirect would take it elsewhere. */
function fetchWith(file: string) {
  const authorization = `Bearer ${readFileSync(file, 'utf8').trim()}`;
  return (url: string, init: RequestInit) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization };
    return fetch(url, { ...init, headers, redirect: 'error' });
  };
}

function main(): void {
  const { values } = parseArgs({ options: { ...TEXTS, url: URL_OPTION, 'no-ask': flag, help: flag } });
  const { url, help, 'max-order': maxOrder, 'max-total': maxTotal, 'token-file': file } = values;
  if (help) return void process.stdout.write(HELP);
  const service = URL.parse(url);
  if (!service || !/^https?:$/.test(service.protocol) || service.username || service.password)
    throw new Error('--url must be an http: or https: address without credentials.');
  // Throws for a malformed amount.
  for (const cap of [maxOrder, maxTotal]) parseUnits(cap ?? '0');
  const client = createClient({ baseUrl: url, fetch: file === undefined ? undefined : fetchWith(file) });
  const caps = { maxOrder, maxTotal };
  const door = { client, url: service.origin, caps, clientAddress: values['client-address'], asks: !values['no-ask'] };
  serveStdio(createDoor(door), { onerror: ({ message }) => void process.stderr.write(`${message}\n`) });
}

try {
  main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

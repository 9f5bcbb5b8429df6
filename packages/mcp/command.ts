import { readFileSync } from 'node:fs';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createClient } from '../client/client.ts';
import { createDoor } from './server.ts';

// Read by the command line of the service's other commands, which this package does not import.

const text = (value: string, meaning: string) => ({ type: 'string', value, meaning }) as const;

export const COMMAND = {
  purpose:
    'Serves the Order Book Adapter to an agent: five tools of the Model Context Protocol, over stdin and stdout.',
  usage: 'npm run --silent mcp -- [options]',
  options: {
    url: { ...text('URL', 'the service'), default: 'http://127.0.0.1:8080' },
    'max-order': text('AMOUNT', 'largest price × size of an order; needed to place orders'),
    'max-total': text('AMOUNT', 'largest sum of price × size of all orders of this process; needed to place orders'),
    'client-address': text('A', 'X-Client-Address of the orders'),
    'token-file': text('FILE', "token that the service's gateway asks for (Authorization: Bearer …)"),
    'no-ask': {
      type: 'boolean',
      default: false,
      meaning: "asks no person before an order, where the agent's program could",
    },
  },
} as const;

/** The values of the options. */
type Values = Readonly<
  { url: string; 'no-ask': boolean } & Partial<
    Record<'max-order' | 'max-total' | 'client-address' | 'token-file', string | undefined>
  >
>;

/** An amount with as many decimals as the sum of orders has. */
const AMOUNT = /^\d+(?:\.\d{1,18})?$/;

/** Hosts that are this machine. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reads a token; `undefined` for a file that cannot be read. */
function readToken(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** Adds the token to each request; a redirect would take it elsewhere. */
function fetchWith(token: string) {
  return (url: string, init: RequestInit) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), authorization: `Bearer ${token}` };
    return fetch(url, { ...init, headers, redirect: 'error' });
  };
}

/** Serves until the input ends. Returns the exit code, or a sentence on a value that it does not take. */
export function serve(values: Values): number | string {
  const { url, 'max-order': maxOrder, 'max-total': maxTotal, 'token-file': file } = values;
  const service = URL.parse(url);
  if (!service || !/^https?:$/.test(service.protocol) || service.username || service.password)
    return '--url must be an http: or https: address without credentials.';
  for (const option of ['max-order', 'max-total'] as const) {
    if (!AMOUNT.test(values[option] ?? '0')) return `--${option} must be an amount such as 10 or 99.5.`;
  }
  const token = file === undefined ? '' : readToken(file);
  if (token === undefined) return '--token-file must be a file that can be read.';
  // Node may send requests through a proxy of the environment, and this process sends them to the service alone.
  if (LOOPBACK.test(service.hostname)) process.env['no_proxy'] = service.hostname;
  const client = createClient({ baseUrl: url, fetch: token === '' ? undefined : fetchWith(token) });
  const caps = { maxOrder, maxTotal };
  const door = { client, url: service.origin, caps, clientAddress: values['client-address'], asks: !values['no-ask'] };
  serveStdio(createDoor(door), { onerror: ({ message }) => void process.stderr.write(`${message}\n`) });
  return 0;
}

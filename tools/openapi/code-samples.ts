import type { ROUTES } from '../../functions/routes.ts';
import { EXAMPLES, YES } from './examples.ts';

/** An address in another chain, as a client would send that of its user. */
const CLIENT = 'Bow1CGKGDB9mNxeWdw85E2aCthQ1oZX4oFEe7fYT17ew';
const BASE = 'http://127.0.0.1:8080';

type Name = keyof typeof ROUTES;

/** Calls of the typed client, by operation. */
const CALLS: Readonly<Record<Name, string>> = {
  health: 'client.health()',
  markets: 'client.markets({ limit: 1 })',
  book: `client.book('${YES}')`,
  orders: `client.placeOrder({
  token_id: '${YES}',
  side: 'buy',
  price: '0.01',
  size: '5',
  post_only: true,
}, { clientAddress: '${CLIENT}' })`,
};

function curlOf(target: string, order: string | undefined): string {
  if (!order) return `curl '${BASE}${target}'\n`;
  return `curl '${BASE}${target}' -H 'Content-Type: application/json' -H "Idempotency-Key: curl-$(date +%s)" -H 'X-Client-Address: ${CLIENT}' -d '${order}'\n`;
}

function pythonOf(target: string, order: string | undefined): string {
  if (!order) return `import requests\n\nprint(requests.get("${BASE}${target}", timeout=15).json())\n`;
  return `import uuid

import requests

order = ${order.replaceAll(':true', ':True').replaceAll(/([,:])(?=["\dT])/g, '$1 ')}
# Keep the key: a repeat with it places no second order, whatever happened to the first attempt.
headers = {"Idempotency-Key": str(uuid.uuid4()), "X-Client-Address": "${CLIENT}"}
print(requests.post("${BASE}${target}", json=order, headers=headers, timeout=30).json())
`;
}

/** Shows how an operation is called, in the languages of docs/clients.md; a test runs each sample. */
export function codeSamples(name: Name) {
  const { target = '', send } = EXAMPLES.find(({ operation, status }) => operation === name && status < 300) ?? {};
  const order = send && JSON.stringify(send);
  const typescript = `import { createClient } from 'order-book-adapter-client';

const client = createClient({ baseUrl: '${BASE}' });
console.log(await ${CALLS[name]});
`;
  return [
    { lang: 'Shell', label: 'curl', source: curlOf(target, order) },
    { lang: 'TypeScript', label: 'TypeScript', source: typescript },
    { lang: 'Python', label: 'Python', source: pythonOf(target, order) },
  ];
}

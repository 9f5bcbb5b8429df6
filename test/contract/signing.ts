import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Secret } from '../../shared/secret.ts';
import type { ClientWallet } from '../../tools/support/client-wallets.ts';
import { type Answer, codeOf } from './answer.ts';
import type { Ask, Request } from './ask.ts';

/** A client of a service that verifies its clients. */
export interface SigningClient {
  readonly wallet: ClientWallet;
  /** True for a wallet that may order; false for one that was made for this run. */
  readonly isListed: boolean;
  /** Asks without adding anything. */
  readonly askAsItIs: Ask;
  /** Adds to an order what is missing of its headers, and signs it where the service wants that. */
  readonly ask: Ask;
}

const wanted = z.object({ challenge: z.string() });

/** Reads the text to sign out of a 401, and the end of its signature. */
export function challengeOf({ body }: Answer): { readonly challenge: string; readonly expires: string } {
  const { challenge } = wanted.parse(body);
  return { challenge, expires: challenge.split(' ').at(-1) ?? '' };
}

/** Creates a client that signs its orders. `clientKey`: the private key of one that may order; without it a key is made. */
export function createSigningClient(askAsItIs: Ask, clientKey: Secret | undefined): SigningClient {
  const account = privateKeyToAccount(clientKey ? `0x${clientKey.reveal().slice(2)}` : generatePrivateKey());
  const wallet = { address: account.address, sign: (message: string) => account.signMessage({ message }) };
  const ask = async (request: Request): Promise<Answer> => {
    if (request.method !== 'POST') return askAsItIs(request);
    const client = { 'x-client-address': wallet.address, 'idempotency-key': `conformance-${crypto.randomUUID()}` };
    const headers = { ...client, ...request.headers };
    const answer = await askAsItIs({ ...request, headers });
    if (codeOf(answer) !== 'client_signature_required') return answer;
    const { challenge, expires } = challengeOf(answer);
    const signature = { 'x-client-signature': await wallet.sign(challenge), 'x-client-signature-expires': expires };
    return askAsItIs({ ...request, headers: { ...headers, ...signature } });
  };
  return { wallet, isListed: clientKey !== undefined, askAsItIs, ask };
}

import { loadWalletKinds } from '#venue/accounts';
import { refuse } from '../../../shared/errors.ts';
import type { OrderClient } from '../../../shared/orders/record.ts';
import { ConfigError } from '../../../shared/settings/formats.ts';
import { formatTime, parseTime } from '../../../shared/time.ts';
import type { Middleware } from '../../endpoint.ts';
import { type ChallengedOrder, challengeText } from './challenge.ts';

/**
 * How long a signature is valid: in the texts that the service writes, at most, and the tolerance for clocks. Keys are
 * kept for a day, so none is forgotten while a signature for it is valid.
 */
const SIGNATURE_MS = { offered: 300_000, ahead: 600_000, tolerance: 30_000 } as const;

const WALLET_KINDS = await loadWalletKinds();

/** An order with everything that its signature is about. */
interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The gateway's domain name, or the `Host` that the local server was sent. */
  readonly domainName: string;
  readonly order: ChallengedOrder;
  /** The venue's time, in milliseconds of the Unix epoch. */
  readonly now: number;
}

/** Returns the authority of a request as it stands in its URL: 80 is the port of http, which the local server speaks. */
function authorityOf(domainName: string): string {
  return domainName.toLowerCase().replace(/:(?:80)?$/, '');
}

function whyMistimed(validUntil: number, now: number): 'expired' | 'too_far_ahead' | undefined {
  const { ahead, tolerance } = SIGNATURE_MS;
  if (now > validUntil + tolerance) return 'expired';
  return validUntil > now + ahead + tolerance ? 'too_far_ahead' : undefined;
}

/** Returns the kind of wallet that an address is of, and its canonical form. */
function holderOf(address: string) {
  for (const kind of WALLET_KINDS) {
    const client = kind.canonicalAddress(address);
    if (client !== undefined) return { kind, client };
  }
  return undefined;
}

/** The authorities that clients may sign for; by default that of the request, which a gateway has checked. */
export interface Authorities {
  /** The only one, whatever the request names. */
  readonly public?: string | undefined;
  /** Those of a service without one. The first stands in the challenge to a request that names none of them. */
  readonly own?: (() => readonly string[]) | undefined;
}

/** Refuses (400 `invalid_request`) headers without which there is no text to sign, or no end of its validity. */
const checkHeaders: Middleware = {
  before: ({ event: { headers } }) => {
    const { 'x-client-address': address = '', 'x-client-signature-expires': expires } = headers;
    const isTime = expires === undefined || parseTime(expires) !== undefined;
    const addressRule =
      'must be the EVM address (EIP-55 where letters are mixed) or the Solana address that signs the order.';
    const timeRule = 'must be a time in UTC with whole seconds, such as 2026-12-01T12:00:00Z.';
    const errors = [
      holderOf(address) ? [] : { field: 'X-Client-Address', detail: addressRule },
      headers['idempotency-key'] ? [] : { field: 'Idempotency-Key', detail: 'is required.' },
      isTime ? [] : { field: 'X-Client-Signature-Expires', detail: timeRule },
    ].flat();
    if (errors.length > 0) throw refuse('invalid_request', { part: 'A header', errors });
  },
};

/** Returns the canonical forms of addresses; throws `ConfigError` for a text that is none. */
function canonical(addresses: readonly string[]): ReadonlySet<string> {
  const clients = addresses.map((address) => holderOf(address)?.client);
  const known = clients.filter((client) => client !== undefined);
  if (known.length === clients.length) return new Set(known);
  throw new ConfigError(
    'SERVICE_ALLOWED_CLIENTS must be EVM addresses (EIP-55 where letters are mixed) or Solana addresses.',
  );
}

/**
 * Creates the check that the holder of `X-Client-Address` wants exactly this order. `allowedClients`: the addresses that
 * may order; any may if there are none.
 */
export function createVerification(authorities: Authorities = {}, allowedClients: readonly string[] = []) {
  const allowed = canonical(allowedClients);
  return {
    checkHeaders,
    /**
     * Verifies the signature, and that its client may order. The errors: 401 `client_signature_required` and
     * `client_signature_invalid`, 403 `client_not_allowed`.
     */
    verify({ headers, domainName, order, now }: SignedRequest): OrderClient {
      const { 'x-client-address': clientAddress = '', 'idempotency-key': idempotencyKey = '' } = headers;
      const { 'x-client-signature': signature, 'x-client-signature-expires': expires } = headers;
      const requested = authorityOf(domainName);
      const own = authorities.public === undefined ? (authorities.own?.() ?? [requested]) : [authorities.public];
      const [authority = requested] = own.includes(requested) ? [requested] : own;
      const textUntil = (validUntil: string) =>
        challengeText({ authority, clientAddress, order, idempotencyKey, validUntil });
      const challenge = textUntil(formatTime(now + SIGNATURE_MS.offered));
      if (!signature || !expires) throw refuse('client_signature_required', { challenge });
      const holder = holderOf(clientAddress);
      const validUntil = parseTime(expires);
      if (!holder || validUntil === undefined) throw new Error('the headers were not checked');
      const { kind, client: address } = holder;
      const signed = { text: textUntil(expires), address };
      const why = whyMistimed(validUntil, now) ?? kind.check(signature, signed);
      if (why !== 'valid') throw refuse('client_signature_invalid', { challenge, why });
      if (allowed.size > 0 && !allowed.has(address)) throw refuse('client_not_allowed', {});
      return { address, isVerified: true };
    },
  };
}

/** The check of signatures. */
export type ClientVerification = ReturnType<typeof createVerification>;

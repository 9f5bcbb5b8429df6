import type { loadWalletKinds } from '#venue/open-account';
import type { Wire } from '../../shared/contract/schemas.ts';
import { refuse } from '../../shared/errors.ts';
import type { OrderClient } from '../../shared/orders/record.ts';
import type { Config } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { formatTime, parseTime } from '../../shared/time.ts';
import {
  type ContractWallets,
  contractSignature,
  createContractWallets,
} from '../../shared/wallets/contract-wallets.ts';
import type { Middleware } from '../http.ts';
import type { placedOrder } from './response.ts';

/** How long a signature is valid: by default and at most, and the tolerance for clocks. */
const SIGNATURE_MS = { offered: 300_000, ahead: 600_000, tolerance: 30_000 } as const;

type WalletKinds = Awaited<ReturnType<typeof loadWalletKinds>>;

/** The wallet that a client claims; its address is in canonical form. */
type Holder = Readonly<{ kind: WalletKinds[number]; address: string }>;

type Why = Exclude<ReturnType<Holder['kind']['check']>, 'valid'>;

type OrderMember = 'token_id' | 'side' | 'price' | 'size' | 'post_only' | 'expires_at';

/** An order as the 201 writes it. */
export type ChallengedOrder = Pick<Wire<typeof placedOrder>, OrderMember>;

/** The facts of the text that a client signs. `clientAddress` and `validUntil` are as in the headers. */
export interface Challenge {
  /** Host of the service, with its port unless that is the scheme's default. */
  readonly authority: string;
  readonly clientAddress: string;
  readonly order: ChallengedOrder;
  readonly idempotencyKey: string;
  readonly validUntil: string;
}

/** Writes the text that a client signs for one order, as its wallet shows it. No value can hold a line break. */
export function challengeText({ authority, clientAddress, order, idempotencyKey, validUntil }: Challenge): string {
  return [
    `Place one order on ${authority}`,
    '',
    `Client: ${clientAddress}`,
    `Side: ${order.side}`,
    `Size: ${order.size} shares`,
    `Price: ${order.price}`,
    `Post only: ${order.post_only ? 'yes' : 'no'}`,
    `Expires at: ${order.expires_at ?? 'never'}`,
    `Token: ${order.token_id}`,
    `Idempotency key: ${idempotencyKey}`,
    `Signature valid until: ${validUntil}`,
  ].join('\n');
}

interface SignedRequest {
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The gateway's domain name, or the `Host` that the local server was sent. */
  readonly domainName: string;
  readonly order: ChallengedOrder;
  /** In milliseconds of the Unix epoch. */
  readonly now: number;
  /** Throws if `now` may be wrong. Called before a refusal of a signature for its time. */
  readonly checkClock: () => Promise<void>;
}

function whyMistimed(validUntil: number, now: number): 'expired' | 'too_far_ahead' | undefined {
  const { ahead, tolerance } = SIGNATURE_MS;
  if (now > validUntil + tolerance) return 'expired';
  return validUntil > now + ahead + tolerance ? 'too_far_ahead' : undefined;
}

/**
 * Lists the authorities that clients may sign for. The challenge names that of the request if it is listed, else the first;
 * without a list that of the request, which a gateway has checked.
 */
type Authorities = () => readonly string[];

interface Rules {
  readonly authorities?: Authorities | undefined;
  /** The addresses that may order; any may without the list, none with an empty one. */
  readonly allowedClients?: readonly string[] | undefined;
  /** Absent where no chain is configured. */
  readonly contracts?: ContractWallets | undefined;
}

/**
 * Creates the check that the holder of `X-Client-Address` wants exactly this order. Throws `ConfigError` for an allowed
 * client that is no address.
 */
export function createVerification(kinds: WalletKinds, { authorities, allowedClients, contracts }: Rules = {}) {
  /** Returns the kind of wallet of an address, and the canonical form of the address. */
  function holderOf(text: string): Holder | undefined {
    for (const kind of kinds) {
      const address = kind.canonicalAddress(text);
      if (address !== undefined) return { kind, address };
    }
    return undefined;
  }

  const allowed = allowedClients && new Set(allowedClients.map((address) => holderOf(address)?.address));
  if (allowed?.has(undefined)) {
    throw new ConfigError(
      'SERVICE_ALLOWED_CLIENTS must be EVM addresses (EIP-55 where letters are mixed) or Solana addresses.',
    );
  }

  /** Parses headers. Refuses (400 `invalid_request`) a missing or malformed address, key or expiry. */
  function parseHeaders(headers: SignedRequest['headers']) {
    const { 'x-client-address': clientAddress = '', 'idempotency-key': idempotencyKey = '' } = headers;
    const { 'x-client-signature': signature, 'x-client-signature-expires': expires } = headers;
    const holder = holderOf(clientAddress);
    const validUntil = expires === undefined ? undefined : parseTime(expires);
    const addressRule =
      'must be the EVM address (EIP-55 where letters are mixed) or the Solana address that signs the order.';
    const timeRule = 'must be a time in UTC with whole seconds, such as 2026-12-01T12:00:00Z.';
    const errors = [
      holder ? [] : { field: 'X-Client-Address', detail: addressRule },
      idempotencyKey ? [] : { field: 'Idempotency-Key', detail: 'is required.' },
      expires === undefined || validUntil !== undefined
        ? []
        : { field: 'X-Client-Signature-Expires', detail: timeRule },
    ].flat();
    if (!holder || errors.length > 0) throw refuse('invalid_request', { part: 'A header', errors });
    return { clientAddress, idempotencyKey, holder, signature, expires, validUntil };
  }

  const checkHeaders: Middleware = { before: ({ event }) => void parseHeaders(event.headers) };

  function authorityFor(domainName: string): string {
    // URLs leave out the default port; the local server uses http, so 80.
    const requested = domainName.toLowerCase().replace(/:(?:80)?$/, '');
    const listed = authorities?.() ?? [requested];
    return listed.includes(requested) ? requested : (listed[0] ?? requested);
  }

  function requireAllowed(address: string): void {
    if (allowed && !allowed.has(address)) throw refuse('client_not_allowed', {});
  }

  /**
   * Asks the contract at the address about a signature that no key made. Checks without the chain come first, since anyone
   * can cause a call. Returns the facts of a refusal; `undefined` for a valid signature. Errors: see `verify`.
   */
  async function askContract({ kind, address }: Holder, signature: string, text: string, why: Why) {
    if (!contracts || !kind.messageHash) return { why };
    const inner = contractSignature(signature);
    if (inner === undefined) return { why: 'malformed' as const };
    requireAllowed(address);
    const asked = { signature: inner, address, hash: kind.messageHash(text) };
    const verdict = await contracts.check(asked).catch((cause: unknown) => {
      throw refuse('client_chain_unavailable', {}, { cause });
    });
    if (verdict === 'valid') return undefined;
    if (verdict !== 'no_code') return { why: verdict };
    const whyNone = inner === signature ? ('foreign' as const) : ('undeployed' as const);
    return { why: why === 'low_v' ? why : whyNone, chainId: contracts.chainId };
  }

  /**
   * Verifies the signature, and that its client may order. Errors: those of the headers, 401 `client_signature_required`
   * and `client_signature_invalid`, 403 `client_not_allowed`, 503 `client_chain_unavailable`, and those of `checkClock`.
   */
  async function verify({ headers, domainName, order, now, checkClock }: SignedRequest): Promise<OrderClient> {
    const { clientAddress, idempotencyKey, holder, signature, expires, validUntil } = parseHeaders(headers);
    const authority = authorityFor(domainName);
    const textUntil = (time: string) =>
      challengeText({ authority, clientAddress, order, idempotencyKey, validUntil: time });
    const challenge = textUntil(formatTime(now + SIGNATURE_MS.offered));
    if (!signature || !expires || validUntil === undefined) throw refuse('client_signature_required', { challenge });
    const { kind, address } = holder;
    const text = textUntil(expires);
    const mistimed = whyMistimed(validUntil, now);
    if (mistimed) {
      await checkClock();
      throw refuse('client_signature_invalid', { challenge, why: mistimed });
    }
    const why = kind.check(signature, { text, address });
    const refusal = why === 'valid' ? undefined : await askContract(holder, signature, text, why);
    if (refusal) throw refuse('client_signature_invalid', { challenge, ...refusal });
    requireAllowed(address);
    return { address, isVerified: true };
  }

  return { checkHeaders, verify, checkChain: contracts?.checkChain };
}

export type ClientVerification = ReturnType<typeof createVerification>;

type Settings = Pick<
  Config,
  'mode' | 'clientVerification' | 'publicAuthority' | 'allowedClients' | 'clientRpcUrl' | 'clientChainId' | 'proxyEnv'
>;

/** Opens the verification of clients where the operator requires it. `own`: the authorities without a public one. */
export async function openVerification(
  { mode, clientVerification, publicAuthority, allowedClients, ...chain }: Settings,
  own?: Authorities,
): Promise<ClientVerification | undefined> {
  if (mode === 'read-only' || clientVerification === 'off') return undefined;
  const { clientRpcUrl, clientChainId, proxyEnv } = chain;
  const hasChain = clientRpcUrl !== undefined && clientChainId !== undefined;
  const contracts = hasChain ? createContractWallets(clientRpcUrl, clientChainId, proxyEnv) : undefined;
  const authorities = publicAuthority === undefined ? own : () => [publicAuthority];
  // Loaded only here: a read-only process needs no cryptography.
  const accounts = await import('#venue/open-account');
  return createVerification(await accounts.loadWalletKinds(), { authorities, allowedClients, contracts });
}

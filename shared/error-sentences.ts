/** The sentences that several errors of one code choose from. Each says what happened and what to do. */

export const CALLER_NOT_IDENTIFIED = {
  iam: 'No order was placed: the request is not signed with AWS credentials. Sign it.',
  jwt: 'No order was placed: the request has no token with a claim sub, client_id or azp. Ask the issuer of tokens for one of them.',
} as const;

export const INSUFFICIENT_BALANCE = {
  purchase:
    "The account's balance or allowance does not cover this order. Order less, or ask the operator to add funds, to refresh the venue's cached balance or to cancel orders that lock funds. The operator's log has the amounts.",
  sale: "The account's shares or their allowance do not cover this order. Shares bought a moment ago can be sold once their trade is settled, seconds later, with a new Idempotency-Key. Else order less, or ask the operator to cancel orders that lock shares. The operator's log has the amounts.",
} as const;

/** Reasons for which the venue refuses this operator. */
export const REFUSED_SERVICE = {
  region: 'orders are not accepted from its region.',
  credentials: 'its API credentials are not accepted.',
  signature: 'its signatures are not accepted.',
  wallet_type: 'its kind of account may not trade, or is not the one in its settings.',
  account_restricted: 'its account is restricted.',
  firewall: 'a firewall blocks it.',
  clock: 'its clock is wrong.',
} as const;

/** Names the seconds by which the clock of the service is ahead of the venue's. */
export function differenceOf(aheadS: number): string {
  return `its clock is ${Math.abs(aheadS)} s ${aheadS > 0 ? 'ahead of' : 'behind'} the venue's, and NTP has to set the clock of its machine.`;
}

export const VENUE_ERROR = {
  unusable: 'The venue returned an answer that cannot be read. Try again later.',
  broken_off: 'The venue cut off its answer. Try again.',
  rules: 'The venue returned rules of this market that cannot be used, so no order was sent. Choose another market.',
} as const;

const NOT_TAKEN = 'The order was not placed. Try again later.';
export const VENUE_UNAVAILABLE = {
  unreachable: 'The venue cannot be reached. Try again later.',
  busy: 'The venue is temporarily unavailable. Try again later.',
  order_not_sent: `The venue cannot be reached. ${NOT_TAKEN}`,
  restarting: `The venue's matching engine is restarting. ${NOT_TAKEN}`,
  halted: `The venue has halted trading. ${NOT_TAKEN}`,
  cancel_only: `The venue accepts only cancellations at the moment. ${NOT_TAKEN}`,
  post_only_phase: `The venue accepts only post-only orders at the moment. ${NOT_TAKEN}`,
} as const;

export const RATE_LIMITED = {
  requests: 'The venue limits the rate of requests. Slow down.',
  orders: `The venue limits the rate of orders. ${NOT_TAKEN}`,
} as const;

export const STORE_UNAVAILABLE = {
  orders:
    'The order store is unavailable, so nothing was sent. Repeat the request, with the same Idempotency-Key if any.',
  otherVersion:
    'The order store holds orders of another version of this service, so nothing was sent. Report it to the operator.',
  secret: 'The wallet key could not be read from the secret store, so no order was placed. Try again later.',
  kms: 'AWS KMS could not sign with the wallet key, so no order was placed. Try again later.',
} as const;

export const ADVICE = {
  repeat: 'Repeat the request with the same Idempotency-Key to find out.',
  look_up: 'Look the order id up at the venue before you order again.',
} as const;

export const OUTCOME_UNKNOWN = {
  sent: 'The order may be live.',
  unknown_words: 'The venue answered with an unknown message; the order may be live.',
  clock: 'The clock of this service may be wrong, so this attempt sent nothing; an earlier one may be live.',
  lease_ended: 'The request ran out of time before it sent the order.',
  refusal_not_stored: 'The venue refused the order, but the order store is unavailable.',
  earlier_sending: 'The venue refused this attempt; an earlier one may still be accepted.',
} as const;

export const SIGN =
  'Sign the text of challenge with the wallet of X-Client-Address, and send the order with X-Client-Signature and X-Client-Signature-Expires.';

export const SIGNATURE_INVALID = {
  malformed: 'X-Client-Signature is malformed for this kind of wallet.',
  no_base58:
    'X-Client-Signature must be the 64 bytes of the signature in base58: not in base64 or hex, no array, and without the text that was signed.',
  low_v: 'X-Client-Signature ends in a v of 0 or 1, as a Ledger writes it: add 27 to its last byte.',
  contract:
    'X-Client-Signature is by a contract wallet, and this service checks no chain. Use an account that has a key.',
  undeployed:
    'X-Client-Signature is by a contract wallet that is not deployed on its chain (ERC-6492): deploy the wallet first.',
  no_check:
    'The contract at X-Client-Address cannot check signatures (EIP-1271), so its orders cannot be signed. Use another wallet.',
  refused: 'The contract at X-Client-Address refuses X-Client-Signature for the text of this order.',
  foreign: 'X-Client-Signature is not of this client, or not over the text of this order.',
  foreign_bytes:
    'X-Client-Signature is not of this client, or not over the bytes of this text. The envelope in which a Ledger signs Solana messages is not accepted.',
  expired: 'The signature has expired.',
  too_far_ahead: 'The signature is valid for too long.',
} as const;

export const KEY_REUSED = {
  'another order': 'This Idempotency-Key belongs to another order. Use a new key for a new order.',
  'another client': 'This Idempotency-Key belongs to an order of another client. Use a new key, such as a UUID.',
  'another service':
    'This Idempotency-Key was used before the wallet, the account, the venue or client verification of the service changed, and its order may be live. Look it up before you order with a new key.',
} as const;

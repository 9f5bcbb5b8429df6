import type { OrderTerms } from '../exchange/book.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { type Market, takerFee } from '../exchange/market.ts';
import { notional, ONE, toDecimal } from '../exchange/millionths.ts';
import { VenueRefusal } from '../http/router.ts';
import type { Credentials, VenueState } from '../state/state.ts';
import type { OrderPayload } from './order-payload.ts';
import { type ExchangeContract, fundersOf, isOrderSignedBy, type SignedStruct } from './signing.ts';

/** Shortest time that a GTD order must still have to live when it arrives. */
const MIN_LIFETIME_S = 180;
/** Least value in collateral, in millionths, of a purchase that would match at once. */
const MIN_MARKETABLE_BUY = ONE;
const CONTRACTS: readonly ExchangeContract[] = ['plain', 'negRisk', 'protocolV2'];

function refuse(text: string): never {
  throw new VenueRefusal(400, text);
}

/**
 * Checks that owner, signer and kind of account fit the API key, and that the account is not restricted. A deposit wallet
 * signs for itself, and it must be one of the key's; the exchange contracts check that of the other kinds by the order's
 * signature.
 */
export function checkAccount(state: VenueState, { order, owner }: OrderPayload, credentials: Credentials): void {
  const [maker, signer] = [order.maker.toLowerCase(), order.signer.toLowerCase()];
  const isDepositWallet = order.signatureType === 3;
  const isOwn = fundersOf(credentials.address, order.signatureType).includes(maker);
  if (owner !== credentials.apiKey) refuse('the order owner has to be the owner of the API KEY');
  if (isDepositWallet ? signer !== maker || !isOwn : signer !== credentials.address) {
    refuse('the order signer address has to be the address of the API KEY');
  }
  const restrictions = [state.restrictions.get(credentials.address), state.restrictions.get(maker)];
  if (restrictions.includes('banned')) refuse(`'${order.maker}' address banned`);
  if (restrictions.includes('closed-only') && order.side === 'BUY') {
    refuse(`'${order.maker}' address in closed only mode`);
  }
  if (restrictions.includes('deposit-wallet-required') && !isDepositWallet) {
    refuse('maker address not allowed, please use the deposit wallet flow');
  }
  if (!isOwn) refuse(invalidSignature(order.signatureType));
}

/** Returns the sentence about a signature, which names the kind of account. */
function invalidSignature(signatureType: number): string {
  const kind = ['EOA', 'POLY_PROXY', 'POLY_GNOSIS_SAFE', 'POLY_1271'][signatureType];
  return `invalid ${kind} signature${signatureType === 3 ? ': signature does not match order hash' : ''}`;
}

function contractOf(market: Market): ExchangeContract {
  if (market.version === 'v2') return 'protocolV2';
  return market.negRisk ? 'negRisk' : 'plain';
}

/** Returns the contract that the order is signed for; refuses another's signature and one for another contract. */
export function checkSignature(
  market: Market,
  struct: SignedStruct,
  signature: string,
  address: string,
): ExchangeContract {
  const contract = contractOf(market);
  if (isOrderSignedBy(address, struct, contract, signature)) return contract;
  const elsewhere = CONTRACTS.some((other) => isOrderSignedBy(address, struct, other, signature));
  return refuse(elsewhere ? 'order_version_mismatch' : invalidSignature(struct.signatureType));
}

/** Checks the order type: post-only must rest, only GTD expires, and not within three minutes. */
export function checkType({ orderType, postOnly, order }: OrderPayload, now: number): void {
  if (postOnly && orderType !== 'GTC' && orderType !== 'GTD') {
    refuse('invalid post-only order: only GTC and GTD order types are allowed');
  }
  const expiration = Number(order.expiration);
  const valid = orderType === 'GTD' ? expiration >= now / 1_000 + MIN_LIFETIME_S : expiration === 0;
  if (!valid) refuse('invalid expiration');
}

/** Checks an order against the book: post-only must not cross, FOK must fill, FAK must match, small purchases must rest. */
export function checkBook(exchange: Exchange, terms: OrderTerms): void {
  const { fills, complete } = exchange.floor(terms.marketId).book.plan(terms);
  const crosses = fills.length > 0;
  if (terms.postOnly && crosses) refuse('invalid post-only order: order crosses book');
  const spent = terms.budget ?? notional(terms.size, terms.price);
  const executes = crosses || terms.type === 'FOK' || terms.type === 'FAK';
  if (terms.side === 'BUY' && executes && spent < MIN_MARKETABLE_BUY) {
    refuse(`invalid amount for a marketable BUY order ($${toDecimal(spent)}), min size: $1`);
  }
  if (terms.type === 'FOK' && !complete) {
    refuse("order couldn't be fully filled. FOK orders are fully filled or killed.");
  }
  if (terms.type === 'FAK' && !crosses) {
    refuse('no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.');
  }
}

/**
 * Sums what a purchase pays in fees if it would match at once: for its whole size at its limit, as refusals of the venue
 * count it ("order amount (inc. fees)"), or for its matches where they pay more: a market order may get more shares than
 * its limit buys, and a fee grows towards 0.5.
 */
function feesOf(exchange: Exchange, terms: OrderTerms): bigint {
  const { market, book } = exchange.floor(terms.marketId);
  const { fills } = book.plan(terms);
  const ofMatches = fills.reduce((sum, { size, price }) => sum + takerFee(market, size, price), 0n);
  const atLimit = fills.length === 0 ? 0n : takerFee(market, terms.size, terms.price);
  return atLimit > ofMatches ? atLimit : ofMatches;
}

/** Checks that the maker holds the cost of the order, fees included, besides what its open orders reserve already. */
export function checkFunds(exchange: Exchange, terms: OrderTerms): void {
  const token = terms.side === 'BUY' ? null : exchange.tokenOf(terms);
  const spent = terms.budget ?? notional(terms.size, terms.price);
  const needed = token === null ? spent + feesOf(exchange, terms) : terms.size;
  const held = token === null ? exchange.ledger.collateral(terms.maker) : exchange.ledger.shares(terms.maker, token);
  const reserved = exchange.reserved(terms.maker, token);
  if (needed + reserved <= held) return;
  const active = reserved === 0n ? '' : `sum of active orders: ${reserved}, `;
  refuse(
    `not enough balance / allowance: the balance is not enough -> balance: ${held}, ${active}order amount: ${needed}`,
  );
}

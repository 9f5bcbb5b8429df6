import { json, type PaperRequest, type Reply, type Route } from '../http/router.ts';
import { DOMAINS } from '../rules/signing.ts';
import type { VenueState } from '../state/state.ts';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

// Contracts on Polygon, by the venue's contract page (November 2026).
const PUSD = '0xc011a7e12a19f7b1f670d46f03b03f3342e82dfb';
const CONDITIONAL_TOKENS = '0x4d97dcd97ec945f40cf65f87097ace5ea0476045';
const POSITION_MANAGER = '0x006f54f7f9a22e0000cc2ab60031000000ae9fef';
const NEG_RISK_ADAPTER = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296';

const EXCHANGE = DOMAINS.plain.verifyingContract.toLowerCase();
const NEG_RISK_EXCHANGE = DOMAINS.negRisk.verifyingContract.toLowerCase();
const PROTOCOL_V2_EXCHANGE = DOMAINS.protocolV2.verifyingContract.toLowerCase();

/** Rows of the approvals that trading needs, by the ids of the venue: the token, and the contract that may move it. */
const APPROVALS: readonly (readonly [id: string, token: string, spender: string])[] = [
  ['UsdcExchange', PUSD, EXCHANGE],
  ['UsdcNegRiskExchange', PUSD, NEG_RISK_EXCHANGE],
  ['UsdcNegRiskAdapter', PUSD, NEG_RISK_ADAPTER],
  ['PusdV2Exchange', PUSD, PROTOCOL_V2_EXCHANGE],
  ['CtfExchangeIsApprovedForAll', CONDITIONAL_TOKENS, EXCHANGE],
  ['CtfNegRiskExchangeIsApprovedForAll', CONDITIONAL_TOKENS, NEG_RISK_EXCHANGE],
  ['CtfNegRiskAdapterIsApprovedForAll', CONDITIONAL_TOKENS, NEG_RISK_ADAPTER],
  ['V2PositionManagerExchangeIsApprovedForAll', POSITION_MANAGER, PROTOCOL_V2_EXCHANGE],
];

/** Answers as the website does in Ireland, whose pages may not trade while the API may. */
const GEOBLOCK = { blocked: true, ip: '203.0.113.7', country: 'IE', region: 'L' };

function approvals({ query, now }: PaperRequest): Reply {
  const user = query.get('user') ?? '';
  if (!ADDRESS.test(user)) {
    const error = { error: "invalid 'user' address", code: 'invalid_request', retryable: false, trace_id: 'paper' };
    return json({ ...error, parameter: 'user' }, 400);
  }
  const contracts = APPROVALS.map(([id, token, spender]) => {
    const erc20 = token === PUSD;
    const pair = { id, feature: 'trading', token, spender, standard: erc20 ? 'ERC20' : 'ERC1155' };
    return { ...pair, ...(erc20 ? { amount: 'max' } : {}), approved: true };
  });
  const checked_at = new Date(now).toISOString();
  return json({ data: { address: user.toLowerCase(), chain_id: 137, checked_at, contracts } });
}

/** Answers with the wallet that the website trades with, asked by the key's address or the wallet's own. */
function profile(state: VenueState, { query }: PaperRequest): Reply {
  const asked = query.get('address') ?? '';
  if (!ADDRESS.test(asked)) return json({ type: 'validation error', error: 'invalid address' }, 422);
  const proxyWallet = state.proxyWallets.get(asked.toLowerCase());
  if (proxyWallet === undefined) return json({ type: 'not found error', error: 'profile not found' }, 404);
  return json({ name: 'Paper Trader', pseudonym: 'Paper-Trader', proxyWallet, createdAt: '2026-11-02T00:00:00Z' });
}

/** Routes of the website, of the Data API and of Gamma's profiles: facts about a visitor and about a wallet. */
export function siteRoutes(state: VenueState): readonly Route[] {
  return [
    ['GET', '/api/geoblock', () => json(GEOBLOCK)],
    ['GET', '/v2/approvals', approvals],
    ['GET', '/public-profile', (request) => profile(state, request)],
  ];
}

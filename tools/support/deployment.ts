/** The address of a key that was published with a tool for tests; nobody keeps money there. */
export const WALLET_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d';
/** The address of that key. */
export const WALLET_ADDRESS = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
/** The name of its secret. */
export const SECRET_NAME = 'rig/wallet';

/** The settings by `-c` for a deployment that places orders without a warning. */
export const ORDER_CONTEXT = {
  placeOrder: 'true',
  walletAddress: WALLET_ADDRESS.toLowerCase(),
  privateKeySecret: SECRET_NAME,
  maxOrderNotional: '250',
  maxDailyNotional: 'none',
  clientVerification: 'off',
  region: 'eu-west-1',
  alarmTopic: 'arn:aws:sns:eu-west-1:123456789012:operators',
} as const;

/** The settings by `-c` besides, for orders that everybody may send. */
export const PUBLIC = {
  orderAccess: 'public',
  clientVerification: 'required',
  maxOrderNotional: '50',
  maxDailyNotional: '100',
} as const;

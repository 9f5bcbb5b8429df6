/** The settings as `--help` prints them: name, default, meaning. */
export const SETTINGS: readonly (readonly [name: string, fallback: string, meaning: string])[] = [
  ['SERVICE_PRIVATE_KEY', '-', 'the key that signs orders: 32 bytes of hex, 0x optional'],
  ['SERVICE_PLACE_ORDER', '-', 'exactly 1 enables orders; needs the key too'],
  ['SERVICE_HOST', '127.0.0.1', 'address to listen on'],
  ['SERVICE_PORT', '8080', 'port to listen on; 0 takes a free one'],
  ['SERVICE_ALLOWED_HOSTS', 'empty', 'further Host names to answer, for a service that does not listen on loopback'],
  ['SERVICE_STORE', '.data/orders.db', 'file of the idempotency keys'],
  ['SERVICE_GAMMA_URL', "the venue's", 'base URL of the catalogue of markets'],
  ['SERVICE_CLOB_URL', "the venue's", 'base URL of the order books'],
  ['SERVICE_SIGNATURE_TYPE', 'eoa', 'what holds the funds: eoa, proxy, safe or deposit-wallet'],
  ['SERVICE_FUNDER_ADDRESS', "the key's address", 'the account that holds the funds; required unless eoa'],
  ['SERVICE_CLOB_API_KEY', 'derived', "the venue's API credentials: all three or none"],
  ['SERVICE_CLOB_API_SECRET', 'derived', ''],
  ['SERVICE_CLOB_API_PASSPHRASE', 'derived', ''],
  ['SERVICE_MAX_ORDER_NOTIONAL', 'none', 'refuses orders with a larger price times size'],
  ['SERVICE_CORS_ORIGINS', 'empty', 'origins whose web pages may place orders and read /health, comma-separated'],
  ['SERVICE_LOG_LEVEL', 'info', 'debug, info, warn or error'],
];

function table(): string {
  const widths = [0, 1].map((column) => Math.max(...SETTINGS.map((row) => (row[column] ?? '').length)));
  const [names = 0, defaults = 0] = widths;
  const rows = SETTINGS.map(([name, fallback, meaning]) =>
    `  ${name.padEnd(names)}  ${fallback.padEnd(defaults)}  ${meaning}`.trimEnd(),
  );
  return rows.join('\n');
}

/** What `--help` prints. */
export const HELP = `Order book adapter: lists markets, reads order books and places limit orders on Polymarket.

Usage: npm start                 serve; read-only unless the key and the opt-in are both set
       npm run paper             serve on an embedded paper venue, with a throw-away key and no real money
       node local/start.js [--paper] [--help]

Settings (environment variable, default, meaning; an empty variable is an absent one):
${table()}
`;

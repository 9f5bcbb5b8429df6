/** Files that are mutated together, and the tests that have to notice. */
export interface MutatedModule {
  readonly code: readonly string[];
  /** Under test/, without `.test.ts`. Direct tests alone: each mutant runs those of them that reach it. */
  readonly tests: readonly string[];
}

/** The modules that are mutated, with the tests that have to notice. */
export const MODULES: Readonly<Record<string, MutatedModule>> = {
  decimals: { code: ['shared/decimal.ts'], tests: ['shared/decimal'] },
  accounts: { code: ['shared/venue/polymarket/accounts.ts'], tests: ['shared/venue/polymarket/accounts'] },
  challenge: { code: ['functions/orders/verification.ts'], tests: ['functions/verification'] },
  settings: {
    code: [
      'shared/settings/table.ts',
      'shared/settings/read.ts',
      'shared/settings/config.ts',
      'shared/settings/formats.ts',
      'shared/settings/credentials.ts',
    ],
    tests: ['shared/settings/config', 'tools/settings'],
  },
  'order-rules': {
    code: ['shared/venue/polymarket/order-rules.ts'],
    tests: ['shared/venue/polymarket/order-rules'],
  },
  sentences: {
    code: ['shared/venue/polymarket/calls/sentences.ts'],
    tests: ['shared/venue/polymarket/calls/sentences'],
  },
  // The fingerprint, and what a record keeps; what is counted for a day.
  records: {
    code: ['shared/orders/record.ts', 'shared/orders/order-store.ts'],
    tests: ['shared/orders/record', 'shared/orders/orders'],
  },
  // Who may send an order, and what becomes of it under its key.
  keys: {
    code: ['shared/orders/orders.ts', 'shared/orders/turn.ts', 'shared/orders/conclude.ts'],
    tests: ['shared/orders/orders', 'shared/orders/races'],
  },
  // What an answer of the venue proves.
  answers: {
    code: ['shared/venue/polymarket/calls/post-order.ts'],
    tests: ['shared/venue/polymarket/calls/post-order'],
  },
  // What is done where an answer proves nothing. The look-ups take their five seconds.
  fate: {
    code: ['shared/venue/polymarket/submission.ts'],
    tests: ['shared/venue/polymarket/submission', 'shared/venue/polymarket/settle', 'shared/venue/polymarket/fills'],
  },
  // How the venue is called: limits, repeats, and what becomes of a connection.
  transport: {
    code: ['shared/venue/polymarket/http/transport.ts'],
    tests: ['shared/venue/polymarket/http/transport'],
  },
  // What is signed for the venue, and which credentials go with it.
  'signed-requests': {
    code: ['shared/venue/polymarket/http/signed-requests.ts'],
    tests: ['shared/venue/polymarket/http/signed-requests'],
  },
  'venue-reads': {
    code: ['shared/venue/polymarket/http/reads.ts'],
    tests: ['shared/venue/polymarket/http/reads'],
  },
  pipeline: {
    code: ['functions/pipeline.ts'],
    tests: ['functions/pipeline', 'functions/reads', 'functions/orders', 'functions/cors'],
  },
  'table-store': {
    code: ['shared/orders/dynamodb-store.ts'],
    tests: ['shared/orders/dynamodb-store', 'shared/orders/orders'],
  },
  'file-store': {
    code: ['local/order-store/store.ts'],
    tests: ['local/store'],
  },
};

const VENUE = 'shared/venue/polymarket';

/** Files under test/ that have to notice a break in a file. Only direct ones: each mutant runs those that reach it. */
const TESTS: Readonly<Record<string, readonly string[]>> = {
  'shared/decimal.ts': ['shared/decimal'],
  'shared/settings/config.ts': ['shared/settings/config'],
  'shared/settings/formats.ts': ['shared/settings/config', 'infra/settings'],
  'shared/settings/read.ts': ['shared/settings/config', 'infra/settings'],
  'shared/settings/table.ts': ['shared/settings/config', 'tools/settings'],
  'functions/orders/checks.ts': ['contract/orders', 'contract/clients', 'functions/gateway-events'],
  'functions/orders/json.ts': ['contract/orders', 'functions/gateway-events'],
  'functions/orders/order.ts': ['contract/orders', 'tools/document'],
  'functions/orders/caller.ts': ['contract/orders'],
  'functions/orders/verification.ts': ['functions/verification', 'contract/clients', 'local/service/hostile-venue'],
  'functions/pipeline.ts': ['functions/gateway-events', 'contract/reads'],
  'functions/cors.ts': ['contract/reads', 'contract/orders'],
  'functions/trace.ts': ['functions/gateway-events', 'contract/reads'],
  'shared/venue/polymarket/open-account.ts': ['functions/trading', 'operator/desk/deployment', 'contract/local-server'],
  'shared/venue/polymarket/account-secret.ts': ['functions/trading', 'operator/desk/deployment'],
  'operator/account/fills.ts': ['operator/desk/odd-venue', 'operator/desk/ledger', 'contract/desk'],
  'operator/desk/fills.ts': ['operator/desk/odd-venue', 'operator/desk/ledger', 'contract/desk'],
  'operator/follow/look.ts': ['contract/follow'],
  'operator/follow/trades.ts': ['contract/follow'],
  'operator/follow/ends.ts': ['contract/follow'],
  'operator/follow/read.ts': ['contract/follow', 'operator/topic', 'operator/follow/command'],
  'operator/follow/event.ts': ['contract/follow', 'tools/document'],
  'operator/follow/state.ts': ['contract/follow', 'operator/follow/command'],
  'operator/follow/run.ts': ['operator/follow/run', 'operator/follow/command'],
  'operator/follow/webhook.ts': ['operator/follow/webhook', 'operator/follow/command'],
  'operator/follow/webhook-file.ts': ['operator/follow/webhook', 'operator/follow/command'],
  'operator/follow/command.ts': ['operator/follow/command'],
  'operator/topic/handler.ts': ['operator/topic'],
  'operator/topic/kept-state.ts': ['operator/topic'],
  'local/file-store/store.ts': ['local/store'],
  'local/file-store/file-records.ts': ['local/store'],
  'shared/orders/dynamodb-records.ts': ['operator/topic', 'operator/desk/deployment'],
  'shared/orders/dynamodb-store.ts': ['shared/orders/dynamodb-store', 'shared/orders/kept-store'],
  'shared/orders/record.ts': ['shared/orders/dynamodb-store', 'shared/orders/kept-store', 'contract/keys-table'],
  'shared/orders/order-store.ts': ['shared/orders/record', 'contract/keys-table'],
  'shared/orders/leases.ts': ['shared/orders/leases', 'contract/keys-table'],
  'shared/orders/orders.ts': ['contract/keys-table', 'contract/clients', 'contract/orders'],
  'shared/orders/claim.ts': ['contract/keys-table', 'contract/fates-table', 'contract/caps'],
  'shared/orders/attempt.ts': ['contract/keys-table', 'contract/fates-table', 'contract/clock-table'],
  'shared/orders/conclude.ts': ['contract/keys-table', 'contract/fates-table'],
  [`${VENUE}/accounts.ts`]: [`${VENUE}/accounts`],
  [`${VENUE}/order-rules.ts`]: [`${VENUE}/order-rules`],
  [`${VENUE}/calls/sentences.ts`]: [`${VENUE}/calls/sentences`],
  [`${VENUE}/calls/venue-text.ts`]: [`${VENUE}/calls/venue-text`],
  [`${VENUE}/calls/post-order.ts`]: [`${VENUE}/calls/post-order`],
  [`${VENUE}/calls/find-order.ts`]: [`${VENUE}/calls/find-order`],
  [`${VENUE}/calls/pages.ts`]: [`${VENUE}/calls/find-order`, 'operator/desk/odd-venue'],
  [`${VENUE}/calls/account-orders.ts`]: [`${VENUE}/calls/find-order`, 'operator/desk/odd-venue'],
  [`${VENUE}/calls/trades.ts`]: ['operator/desk/odd-venue', 'operator/desk/ledger'],
  [`${VENUE}/clock-check.ts`]: ['contract/clock-table', 'local/service/hostile-venue'],
  [`${VENUE}/submission.ts`]: ['contract/fates-table', 'contract/clock-table'],
  'shared/http/exchange.ts': [`${VENUE}/http/transport`, 'contract/fates-table', 'contract/clock-table'],
  [`${VENUE}/http/transport.ts`]: [`${VENUE}/http/transport`, `${VENUE}/order-entry`, 'contract/clock-table'],
  [`${VENUE}/http/signed-requests.ts`]: [
    `${VENUE}/http/signed-requests`,
    `${VENUE}/sign-order`,
    'contract/fates-table',
  ],
  [`${VENUE}/http/reads.ts`]: [`${VENUE}/http/reads`, `${VENUE}/order-rules`, `${VENUE}/operator-venue`],
};

/** Returns the name of a module in commands and reports. */
function nameOf(file: string): string {
  return file.replace(`${VENUE}/`, 'venue/').replaceAll('/', '-').replace(/\.ts$/, '');
}

/** The modules that are mutated, with their code and tests, by name. */
export const MODULES: Readonly<
  Record<string, { readonly code: readonly string[]; readonly tests: readonly string[] }>
> = Object.fromEntries(Object.entries(TESTS).map(([file, tests]) => [nameOf(file), { code: [file], tests }]));

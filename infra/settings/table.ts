import { anyOf, arnOf, commaListOf, formatBy, matching } from '../../shared/settings/formats.ts';
import { DEPLOYED, preset, row, SETTINGS, TABLE, TOPIC } from '../../shared/settings/table.ts';

/** Scopes: the gateway takes ten a route, of 64 characters each. A semicolon counts as a wrong separator. */
const SCOPES = formatBy('1 to 10 scopes of at most 64 characters, separated by commas or spaces', (text) => {
  const scopes = text.split(/[ ,]+/).filter((scope) => scope !== '');
  const isPlain = scopes.every((scope) => /^[!-:<-~]{1,64}$/.test(scope));
  return isPlain && scopes.length > 0 && scopes.length <= 10 ? scopes : undefined;
});

/** Settings of the stack. Not in the table of the service, which every function loads. */
const STACK = {
  env: row(matching('the name of a file in deploy/, without .json', /^\w[\w-]*$/), 'reads deploy/NAME.json; -c wins'),
  // Names of functions contain it, and their length is limited.
  stackName: preset(
    matching('a letter, then letters, digits and dashes, 50 at most', /^[A-Za-z][A-Za-z0-9-]{0,49}$/),
    'order-book-adapter',
    'another name deploys a second service beside the first',
  ),
  region: row(
    matching('an AWS region', /^[a-z]{2,4}(-[a-z]+)+-\d$/),
    'with orders: a region from which the venue takes orders',
  ),
  ...SETTINGS.events,
  ordersTable: row(TABLE, 'name of a restored table of orders to use'),
  account: row(matching('the 12 digits of an AWS account', /^\d{12}$/), 'the only AWS account to deploy to'),
  alarmTopic: row(
    TOPIC,
    'ARN of the SNS topic that alarms notify, in the same region; alias/aws/sns must not encrypt it',
  ),
  readAccess: preset(anyOf(['open', 'iam', 'jwt']), 'open', 'who may read markets and books'),
  jwtIssuer: row(
    matching('an https URL without port and query', /^https:\/\/[\w.-]+(?:\/[\w./-]*)?$/),
    'with jwt: URL of the issuer',
  ),
  jwtAudience: row(
    commaListOf('audiences', (text) => text),
    'with jwt: a token needs one of these audiences; comma-separated',
  ),
  jwtScopes: row(SCOPES, 'with jwt: a token needs one of these scopes; separated by commas or spaces, 10 at most'),
  removal: preset(
    anyOf(['retain', 'destroy']),
    'retain',
    'destroy: deleting the stack deletes table and logs (for trials)',
  ),
  keyArn: row(
    arnOf('a KMS key (no alias)', 'kms', 'key/'),
    'ARN of your own key for the table, the logs and the secret',
  ),
  rollout: preset(anyOf(['canary', 'all-at-once']), 'canary', 'rollout of a new build of orders'),
  domainName: row(matching('a host name', /^(?:[a-z0-9-]+\.)+[a-z]{2,}$/), 'a domain of your own, with certificateArn'),
  certificateArn: row(arnOf('a certificate', 'acm', 'certificate/'), 'ARN of its certificate, in the same region'),
};

export const CONTEXT = {
  ...DEPLOYED,
  ...STACK,
  placeOrder: row(anyOf(['true', 'false']), 'true adds the function of orders'),
};

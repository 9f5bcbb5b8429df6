import { createHash } from 'node:crypto';
import { ArnFormat, CfnOutput, Stack } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import type { OrderSettings } from '../settings/order-settings.ts';
import { type CommonProps, EndpointFunction } from './endpoint-function.ts';
import { acknowledgeWildcard } from './findings.ts';
import type { OrderStore } from './order-store.ts';

interface OrdersProps extends CommonProps {
  readonly settings: OrderSettings;
  readonly store: OrderStore;
}

/** Returns a secret's ARN. A name needs the six characters that Secrets Manager appends; six question marks match nothing longer. */
function secretArn(scope: Construct, nameOrArn: string): string {
  if (nameOrArn.startsWith('arn:')) return nameOrArn;
  const resourceName = `${nameOrArn}-??????`;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'secretsmanager', resource: 'secret', resourceName, arnFormat });
}

/** Lets a role sign with one key. An alias is no resource of a policy: it is a condition on the keys of the account. */
function allowSigning(role: Role, key: string): void {
  const [, alias] = /(?:^|:)(alias\/.*)$/.exec(key) ?? [];
  const ofAccount = { service: 'kms', resource: 'key', resourceName: alias === undefined ? key : '*' };
  const isWhole = alias === undefined && key.startsWith('arn:');
  const resource = isWhole ? key : Stack.of(role).formatArn(ofAccount);
  const named = alias === undefined ? {} : { StringEquals: { 'kms:RequestAlias': alias } };
  if (alias !== undefined) acknowledgeWildcard(role, resource, 'The condition allows the one key behind the alias.');
  const form = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
  const add = (action: string, conditions: Readonly<Record<string, object>>) =>
    role.addToPolicy(new PolicyStatement({ actions: [action], resources: [resource], conditions }));
  add('kms:GetPublicKey', named);
  add('kms:Sign', { StringEquals: { ...named.StringEquals, ...form } });
}

/** What DynamoDB asks of the key of a table in the name of its reader. */
const STORE_KEY = [
  'CreateGrant',
  'Decrypt',
  'DescribeKey',
  'Encrypt',
  'GenerateDataKey',
  'ReEncryptFrom',
  'ReEncryptTo',
].map((action) => `kms:${action}`);

/** Lets a role use one table, and the keys of `allowKeys`. */
function allow({ role }: EndpointFunction, settings: OrderSettings, tableName: string): void {
  const table = Stack.of(role).formatArn({ service: 'dynamodb', resource: 'table', resourceName: tableName });
  // A record is deleted to release its key, and an update counts the notional of a day.
  const calls = ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'];
  const actions = calls.map((call) => `dynamodb:${call}`);
  role.addToPolicy(new PolicyStatement({ actions, resources: [table] }));
  allowKeys(role, settings);
}

/** Lets a role sign with the key, or read the one secret that holds it, and use the key that encrypts the table. */
export function allowKeys(role: Role, settings: OrderSettings): void {
  const add = (actions: string[], resource: string, conditions = {}) =>
    role.addToPolicy(new PolicyStatement({ actions, resources: [resource], conditions }));
  // Only when that service asks.
  const via = (service: string) => ({ 'kms:ViaService': `${service}.${settings.region}.amazonaws.com` });
  if (settings.storeKeyArn !== undefined) add(STORE_KEY, settings.storeKeyArn, { StringEquals: via('dynamodb') });
  const { kmsKey, credentialsSecret, privateKeySecret } = settings;
  if (kmsKey !== undefined) allowSigning(role, kmsKey);
  const secret = kmsKey === undefined ? privateKeySecret : credentialsSecret;
  if (secret === undefined) return;
  const resource = secretArn(role, secret);
  add(['secretsmanager:GetSecretValue'], resource);
  if (settings.secretKeyArn === undefined) return;
  const onlyFor = { StringLike: { 'kms:EncryptionContext:SecretARN': resource } };
  add(['kms:Decrypt'], settings.secretKeyArn, { StringEquals: via('secretsmanager'), ...onlyFor });
}

/**
 * Returns the name of the alias, which follows the settings of orders: a changed one creates another alias, and all orders
 * go to it at once. A canary would leave the old ones in force for its minutes, such as a public route that is being
 * closed. A changed build keeps the alias. Scopes and issuer are the route's, which changes after its alias.
 */
function aliasOf(environment: object, { jwtIssuer, jwtAudience, jwtScopes }: OrderSettings): string {
  const text = JSON.stringify([environment, jwtIssuer, jwtAudience, jwtScopes]);
  return `live-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

/** Adds the one function that may read the key. */
export function addOrders(scope: Construct, { settings, store, ...props }: OrdersProps): EndpointFunction {
  const environment = { ...settings.variables, SERVICE_ORDERS_TABLE: store.tableName };
  const orders = new EndpointFunction(scope, 'Orders', {
    ...props,
    name: 'orders',
    description: 'POST /v1/orders: places limit orders with the wallet of the key',
    // One vCPU: signing and the start are computation, and a slow order costs more than the memory.
    memory: 1769,
    timeoutMs: LAMBDA_TIMEOUT_MS.orders,
    environment,
    concurrency: settings.orderConcurrency,
    alias: aliasOf(environment, settings),
    log: store.log,
  });
  allow(orders, settings, store.tableName);
  // The operator's desk and doctor find the deployment by these outputs, and the operator its alias.
  const outputs = {
    WalletSecret: settings.privateKeySecret ?? settings.credentialsSecret,
    WalletKmsKey: settings.kmsKey,
    WalletAddress: settings.walletAddress,
    FunderAddress: settings.walletVariables.SERVICE_FUNDER_ADDRESS,
    OrdersAlias: orders.alias.aliasName,
  };
  for (const [id, value] of Object.entries(outputs)) if (value !== undefined) new CfnOutput(scope, id, { value });
  return orders;
}

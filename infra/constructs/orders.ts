import { createHash } from 'node:crypto';
import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { LAMBDA_TIMEOUT_MS } from '../../shared/limits.ts';
import { storeOfTable } from '../../shared/store-name.ts';
import type { OrderSettings } from '../settings/order-settings.ts';
import type { OrdersTable } from './orders-table.ts';
import { addOutputs } from './outputs.ts';
import { type CommonProps, ServiceFunction } from './service-function.ts';

/** What a function that knows the account needs. */
export interface OrdersProps extends CommonProps {
  readonly settings: OrderSettings;
  readonly store: OrdersTable;
}

/** A function that knows the account. */
type Target = ServiceFunction<'orders' | 'events'>;

/** Returns a secret's ARN. A name needs the six characters that Secrets Manager appends; six question marks match nothing longer. */
function secretArn(scope: Construct, nameOrArn: string): string {
  if (nameOrArn.startsWith('arn:')) return nameOrArn;
  const resourceName = `${nameOrArn}-??????`;
  const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
  return Stack.of(scope).formatArn({ service: 'secretsmanager', resource: 'secret', resourceName, arnFormat });
}

/** Lets a function sign with one key. An alias is no resource of a policy: it is a condition on the keys of the account. */
function allowSigning(target: Target, key: string): void {
  const [, alias] = /(?:^|:)(alias\/.*)$/.exec(key) ?? [];
  const ofAccount = { service: 'kms', resource: 'key', resourceName: alias === undefined ? key : '*' };
  const isWhole = alias === undefined && key.startsWith('arn:');
  const resource = isWhole ? key : Stack.of(target).formatArn(ofAccount);
  const named = alias === undefined ? {} : { StringEquals: { 'kms:RequestAlias': alias } };
  target.allow(['kms:GetPublicKey'], resource, named);
  const form = { 'kms:SigningAlgorithm': 'ECDSA_SHA_256', 'kms:MessageType': 'DIGEST' };
  target.allow(['kms:Sign'], resource, { StringEquals: { ...named.StringEquals, ...form } });
}

/** The KMS actions that DynamoDB uses on behalf of a table's reader. */
const TABLE_KEY = 'CreateGrant Decrypt DescribeKey Encrypt GenerateDataKey ReEncryptFrom ReEncryptTo';

/**
 * Lets a function use the account: sign with the key, or read the one secret that holds it. Where `credentials` are enough
 * and stand in a secret of their own, it does not sign.
 */
export function allowAccount(target: Target, settings: OrderSettings, needs: 'key' | 'credentials'): void {
  const { kmsKey, credentialsSecret, privateKeySecret, keyArn, region } = settings;
  // Only for requests by that service.
  const via = (service: string) => ({ 'kms:ViaService': `${service}.${region}.amazonaws.com` });
  const tableKey = TABLE_KEY.split(' ').map((action) => `kms:${action}`);
  if (keyArn !== undefined) target.allow(tableKey, keyArn, { StringEquals: via('dynamodb') });
  if (kmsKey !== undefined && (needs === 'key' || !credentialsSecret)) allowSigning(target, kmsKey);
  const secret = kmsKey === undefined ? privateKeySecret : credentialsSecret;
  if (secret === undefined) return;
  const resource = secretArn(target, secret);
  target.allow(['secretsmanager:GetSecretValue'], resource);
  const onlyFor = { StringLike: { 'kms:EncryptionContext:SecretARN': resource } };
  if (keyArn !== undefined) target.allow(['kms:Decrypt'], keyArn, { StringEquals: via('secretsmanager'), ...onlyFor });
}

/**
 * Returns the name of the alias, which follows the settings of orders: a changed one creates another alias, and all orders
 * go to it at once. A canary would keep the old settings in force for minutes, such as a public route that is being closed.
 * A changed build keeps the alias. Scopes and issuer are the route's, which changes after its alias.
 */
function aliasOf(environment: object, { jwtIssuer, jwtAudience, jwtScopes }: OrderSettings): string {
  const text = JSON.stringify([environment, jwtIssuer, jwtAudience, jwtScopes]);
  return `live-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}

export function addOrders(scope: Construct, { settings, store, ...props }: OrdersProps) {
  const environment = { ...settings.variables, SERVICE_STORE: storeOfTable(store.tableName) };
  const orders = new ServiceFunction(scope, 'Orders', {
    ...props,
    name: 'orders',
    description: 'POST /v1/orders: places limit orders with the wallet of the key',
    // One vCPU: signing and the start are computation, and a slow order costs more than the memory.
    memory: 1769,
    timeoutMs: LAMBDA_TIMEOUT_MS.orders,
    environment,
    alias: aliasOf(environment, settings),
    log: store.log,
  });
  // A record is deleted to release its key, and an update counts the notional of a day.
  const calls = ['DeleteItem', 'GetItem', 'PutItem', 'UpdateItem'];
  orders.allow(
    calls.map((call) => `dynamodb:${call}`),
    store.tableArn,
  );
  allowAccount(orders, settings, 'key');
  // The operator's desk and doctor find the deployment by these outputs, and the operator its alias.
  addOutputs(scope, {
    WalletSecret: settings.privateKeySecret ?? settings.credentialsSecret,
    WalletKmsKey: settings.kmsKey,
    WalletAddress: settings.walletAddress,
    FunderAddress: settings.walletVariables.SERVICE_FUNDER_ADDRESS,
    OrdersAlias: orders.alias.aliasName,
  });
  return orders;
}

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** The permissions that a call of an AWS client needs, by its name in the source. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  GetItemCommand: ['dynamodb:GetItem'],
  PutItemCommand: ['dynamodb:PutItem'],
  DeleteItemCommand: ['dynamodb:DeleteItem'],
  // The sums of a day are updates.
  TransactWriteItemsCommand: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'],
  paginateQuery: ['dynamodb:Query'],
  BatchGetItemCommand: ['dynamodb:BatchGetItem'],
  DescribeStacksCommand: ['cloudformation:DescribeStacks'],
  // A key of the operator's own decrypts the secret.
  GetSecretValueCommand: ['secretsmanager:GetSecretValue', 'kms:Decrypt'],
  GetPublicKeyCommand: ['kms:GetPublicKey'],
  SignCommand: ['kms:Sign'],
  PublishBatchCommand: ['sns:Publish'],
};

function neededBy(...globs: readonly string[]): readonly string[] {
  const texts = globs.flatMap((glob) => globSync(glob, { cwd: ROOT })).map(read);
  const calls = texts.flatMap((text) => [...text.matchAll(/\bnew (\w+Command)\(|\b(paginate\w+)\(/g)]);
  const names = calls.map(([, command, pager = '']) => command ?? pager);
  // An unknown one wants its row.
  return [...new Set(names.flatMap((name) => PERMISSIONS[name] ?? [`of ${name}`]))].sort();
}

/** Returns the permissions that a paragraph names; those without a service are of the one before. */
function namedIn(page: string, begin: string): readonly string[] {
  const paragraph =
    read(page)
      .split('\n\n')
      .find((each) => each.includes(begin)) ?? '';
  let service = '';
  const found = [...paragraph.matchAll(/`(?:([a-z]+):)?([A-Z][A-Za-z]+)`/g)].map(([, named = service, call]) => {
    service = named;
    return `${service}:${call}`;
  });
  return [...new Set(found)].sort();
}

it.each([
  ['deploy/README.md', '`SERVICE_STORE=dynamodb:TABLE`', ['shared/orders/dynamodb-store.ts']],
  ['docs/going-live.md', 'needs `kms:GetPublicKey`', ['shared/wallets/kms-key.ts']],
  [
    'docs/desk.md',
    'credentials need',
    [
      'operator/{account,desk}/*.ts',
      'shared/venue/polymarket/*.ts',
      'shared/orders/dynamodb-records.ts',
      'shared/wallets/kms-key.ts',
    ],
  ],
] as const)('%s names the permissions that the code needs', (page, begin, files) => {
  const needed = neededBy(...files);
  expect(needed.length).toBeGreaterThan(1);
  expect(namedIn(page, begin)).toStrictEqual(needed);
});

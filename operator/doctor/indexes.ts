import { type Index, IndexMissingError } from '../../shared/orders/table-layout.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import { DeskError, type OperatorConfig } from '../account/access.ts';
import { openAccountRecords } from '../account/records.ts';
import { awsErrorOf, type Finding, fail, ok, PERMISSIONS, RESTORING } from './check.ts';

/** Returns the command that adds an index to a table. */
function commandOf({ name, keys }: Index, table: string, region: string | undefined): string {
  const where = `--table-name ${table}${region === undefined ? '' : ` --region ${region}`}`;
  const attributes = Object.entries(keys).map(([key, type]) => `AttributeName=${key},AttributeType=${type}`);
  const KeySchema = Object.keys(keys).map((AttributeName, index) => ({
    AttributeName,
    KeyType: index === 0 ? 'HASH' : 'RANGE',
  }));
  const Create = { IndexName: name, KeySchema, Projection: { ProjectionType: 'KEYS_ONLY' } };
  return `aws dynamodb update-table ${where} --attribute-definitions ${attributes.join(' ')} --global-secondary-index-updates '${JSON.stringify([{ Create }])}'`;
}

/** Asks both indexes of a table for nothing. */
export async function checkIndexes(config: OperatorConfig): Promise<Finding> {
  const { find, list } = await openAccountRecords(config);
  const nothing = () => undefined;
  const missing: Index[] = [];
  for (const ask of [() => find(['none'], nothing), () => list(Date.now(), nothing)]) {
    try {
      await ask();
    } catch (error) {
      if (!(error instanceof DeskError)) throw error;
      const { name: outage, isDenied } = awsErrorOf(error) ?? {};
      if (!(error.cause instanceof IndexMissingError))
        return { ...fail(error.message, isDenied ? PERMISSIONS : RESTORING), outage };
      missing.push(error.cause.index);
    }
  }
  const table = tableNameOf(config.store) ?? '';
  if (missing.length === 0) return ok(`The table ${table} has both indexes.`);
  const commands = missing.map((index) => commandOf(index, table, config.stack?.region));
  return fail(
    `The table ${table} lacks ${missing.map(({ name }) => name).join(' and ')}, or has not built it yet: records cannot be found.`,
    `Wait, or run ${commands.join(' and, once that one is ACTIVE, ')}`,
  );
}

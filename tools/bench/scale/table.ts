import { startDynamoDb } from '../../support/dynamodb.ts';

/** The table of the benchmark, in a process of its own: DynamoDB's protocol on a socket, one request after the other. */
const { client } = await startDynamoDb();
process.stdout.write(`${String(client.endpoint)}\n`);

import { PublishBatchCommand, SNSClient } from '@aws-sdk/client-sns';
import { createWalletKeyReader } from '../../functions/orders/wallet-key.ts';
import { awsClientOptions } from '../../shared/aws-client.ts';
import { createLog } from '../../shared/log.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError, TABLE_PREFIX, TOPIC_STATE } from '../../shared/settings/formats.ts';
import type { Environment } from '../../shared/settings/table.ts';
import type { Access } from '../desk/access.ts';
import { look } from '../desk/follow.ts';
import { newMemory, type OrderEvent } from '../desk/follow-state.ts';
import { loadState, openTablePlace } from '../desk/place.ts';
import { openVenue } from '../desk/venue.ts';

/** Events of one call: SNS takes ten. */
const BATCH = 10;
const PUBLISH_MS = { connect: 1_000, attempt: 5_000 } as const;

/** Returns the attributes by which a subscriber filters; an absent client has none, since SNS takes no empty value. */
function attributesOf({ type, data }: OrderEvent) {
  const { client_address, client_address_verified } = data;
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  return {
    type: text(type),
    ...(typeof client_address === 'string' && client_address !== '' && { client_address: text(client_address) }),
    ...(typeof client_address === 'string' && { client_address_verified: text(String(client_address_verified)) }),
  };
}

/** Creates the publisher of a topic. It rejects if an event is not taken: all of a look are told again then. */
function createPublisher(TopicArn: string) {
  const client = new SNSClient(awsClientOptions(3, PUBLISH_MS));
  return async (events: readonly OrderEvent[]): Promise<void> => {
    for (let from = 0; from < events.length; from += BATCH) {
      const PublishBatchRequestEntries = events.slice(from, from + BATCH).map((event) => ({
        Id: event.id,
        Message: JSON.stringify(event),
        MessageAttributes: attributesOf(event),
      }));
      const { Failed = [] } = await client.send(new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries }));
      if (Failed.length > 0) throw new Error(`The topic did not take ${Failed.length} events.`);
    }
  };
}

/** Opens the account of a deployment for the reads of the desk. */
async function openAccess({
  orders,
  clobUrl,
  gammaUrl,
  funderAddress,
  proxyEnv,
  ...rest
}: ReturnType<typeof parseDeployedConfig>): Promise<Access> {
  if (orders.kind !== 'on') throw new ConfigError('The settings of orders must be set.');
  const { wallet, credentials } = await createWalletKeyReader(orders.key, { ...rest, proxyEnv })();
  const store = TABLE_PREFIX + orders.ordersTable;
  const address = orders.walletAddress;
  return { clobUrl, gammaUrl, funderAddress, proxyEnv, address, credentials, wallet, store, index: true };
}

/** A first run tells what happened this long before it: until the first order nothing is kept. */
const FIRST_MS = 120_000;

/** Creates the handler: one look at the venue, whose events are in the topic before they count as told. */
export function createHandler(env: Environment, now: () => number = Date.now) {
  const config = parseDeployedConfig(env);
  const log = createLog({ level: config.logLevel });
  const publish = createPublisher(env['FILLS_TOPIC'] ?? '');
  const err = (sentence: string) => log.warn('look at the venue', { sentence: sentence.trim() });
  const terminal = { args: [], out: () => undefined, err };
  return async (): Promise<void> => {
    const access = await openAccess(config);
    const place = openTablePlace(access.store.slice(TABLE_PREFIX.length), TOPIC_STATE, access);
    const before = await loadState(access, place, now() - FIRST_MS);
    const desk = { access, venue: await openVenue(access), terminal, format: 'json' } as const;
    const { state, events } = await look(desk, before, newMemory(), now());
    await publish(events);
    await place.save(JSON.stringify(state));
    log.info('events published', { events: events.length });
  };
}

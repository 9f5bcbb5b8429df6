import { PublishBatchCommand, type PublishBatchRequestEntry, SNSClient } from '@aws-sdk/client-sns';
import { openForReads } from '#venue/open-account';
import { awsClientOptions } from '../../shared/aws-client.ts';
import { createLog } from '../../shared/log.ts';
import { parseDeployedConfig } from '../../shared/settings/config.ts';
import { ConfigError } from '../../shared/settings/formats.ts';
import { readSome } from '../../shared/settings/read.ts';
import { type Environment, SETTINGS } from '../../shared/settings/table.ts';
import { tableNameOf } from '../../shared/store-name.ts';
import type { OrderEvent } from '../follow/event.ts';
import { accountOf, openLooks } from '../follow/read.ts';
import { decodeState, encodeState, newState } from '../follow/state.ts';
import { FIRST_MS } from '../follow/times.ts';
import { openKeptState } from './kept-state.ts';

/** SNS takes ten events in one call. */
const BATCH = 10;
/** SNS may refuse some entries of a call. */
const MOST_REFUSALS = 2;
const PUBLISH_MS = { connect: 1_000, attempt: 5_000 } as const;

/** Returns the attributes by which a subscriber filters; an absent client has none, since SNS takes no empty value. */
function attributesOf({ type, data: { client_address, client_address_verified } }: OrderEvent) {
  const text = (StringValue: string) => ({ DataType: 'String', StringValue });
  return {
    type: text(type),
    ...(client_address && { client_address: text(client_address) }),
    ...(client_address !== null && { client_address_verified: text(String(client_address_verified)) }),
  };
}

function entryOf(event: OrderEvent): PublishBatchRequestEntry {
  return { Id: event.id, Message: JSON.stringify(event), MessageAttributes: attributesOf(event) };
}

/**
 * Creates the publisher of a topic. It rejects if the topic does not take an event; the next run then publishes all events
 * of the look again.
 */
function createPublisher(TopicArn: string) {
  const client = new SNSClient(awsClientOptions(3, PUBLISH_MS));
  return async (events: readonly OrderEvent[]): Promise<void> => {
    const left = [...events];
    for (let refusals = 0; left.length > 0; ) {
      const batch = left.splice(0, BATCH);
      const command = new PublishBatchCommand({ TopicArn, PublishBatchRequestEntries: batch.map(entryOf) });
      const { Failed = [] } = await client.send(command);
      const refused = batch.filter(({ id }) => Failed.some(({ Id }) => Id === id));
      if (refused.length > 0) refusals += 1;
      if (refusals > MOST_REFUSALS) throw new Error(`The topic did not take ${refused.length} events.`);
      left.push(...refused);
    }
  };
}

/** Creates the handler: one look at the venue, whose events are in the topic before the state is saved. */
export function createHandler(env: Environment, now: () => number = Date.now) {
  const config = parseDeployedConfig(env);
  const table = tableNameOf(config.store);
  const { fillsTopic: topic } = readSome(env, SETTINGS.events);
  if (config.mode === 'read-only' || !table || !topic) {
    throw new ConfigError('The settings of orders and FILLS_TOPIC must be set.');
  }
  const log = createLog({ level: config.logLevel });
  const publish = createPublisher(topic);
  const note = (sentence: string) => log.warn('look at the venue', { sentence });
  return async (): Promise<void> => {
    const access = { ...config, ...(await openForReads(config)) };
    const account = accountOf(access);
    const kept = openKeptState(table, account, access);
    const saved = await kept.load();
    const known = saved && decodeState(saved);
    // A function has no --since: what happened since the last save is published again.
    if (saved && !known) log.error('state of the follower unreadable', { account, since: saved.revision });
    const before = known ?? newState((saved?.revision ?? now()) - FIRST_MS, saved?.revision);
    const looked = await openLooks(access, note)(before, now());
    if (!looked) throw new Error('The venue or the records could not be read; the line before says why.');
    await publish(looked.events);
    const next = encodeState(looked.state);
    const isSaved = (looked.events.length === 0 && next.text === saved?.text) || (await kept.save(next, saved));
    if (!isSaved) log.warn('another run has published the same', { account });
    log.info('events published', { events: looked.events.length });
  };
}

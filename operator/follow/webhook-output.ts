import { ConfigError } from '../../shared/settings/formats.ts';
import { formatTime } from '../../shared/time.ts';
import { FIRST_MS, type Output } from './run.ts';
import { decodeState, encodeState, type FollowState, newState } from './state.ts';
import { type Delivery, startDelivery } from './webhook.ts';
import type { WebhookFile } from './webhook-file.ts';

/** Loads the state of an account; a new one begins `FIRST_MS` ago, and any at `since`. Throws `ConfigError` for a damaged one. */
function openState(file: WebhookFile, account: string, since: number | undefined): FollowState {
  const saved = file.load(account);
  if (!saved || since !== undefined) return newState(since ?? Date.now() - FIRST_MS, saved?.revision);
  const state = decodeState(saved);
  if (state) return state;
  throw new ConfigError(
    `The saved state of the follower is damaged, or of another version. Start over with --since ${formatTime(saved.revision)}.`,
  );
}

/** Keeps events in the file and sends them to a receiver. Throws `ConfigError` for a damaged state, or what SQLite throws. */
export function openWebhook(account: string, since: number | undefined, delivery: Delivery): Output {
  const { file, note, stop } = delivery;
  const state = openState(file, account, since);
  let saved = encodeState(state);
  // What happens before the first event is reported after a restart, too.
  file.save(account, saved, []);
  const closing = new AbortController();
  const { wake, ended } = startDelivery({ ...delivery, stop: AbortSignal.any([stop, closing.signal]) });
  let isOver = false;
  const watched = ended.then((isGone) => {
    isOver = isGone;
  });
  return {
    state,
    async take({ events, state }) {
      if (isOver) return 'over';
      const next = encodeState(state);
      if (events.length === 0 && next.text === saved.text) return 'taken';
      try {
        file.save(account, next, events);
      } catch (error) {
        note(`State not saved (${Error.isError(error) ? error.message : 'unknown'}): events wait.`);
        return 'later';
      }
      saved = next;
      wake();
      return 'taken';
    },
    async close() {
      closing.abort();
      await watched;
      file.close();
    },
  };
}

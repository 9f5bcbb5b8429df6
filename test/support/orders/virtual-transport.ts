import { jest } from '@jest/globals';
import { VenueClock } from '../../../shared/venue/polymarket/http/clock.ts';
import * as transport from '../../../shared/venue/polymarket/http/transport.ts';
import type { HttpReply } from '../venue/scripted-venue.ts';
import { runningProcess } from './virtual-time.ts';

const { TransportError } = transport;

interface Answered {
  readonly reply: HttpReply;
  readonly date: string | undefined;
}

/** Opens the transport of the running process to a venue. */
function connect(clock: VenueClock): transport.Transport {
  const process = runningProcess();
  const { venue } = process.around;
  return {
    clock,
    send: async (request, call) => {
      const limit = Math.min(request.timeLimit ?? Number.POSITIVE_INFINITY, call.deadline - performance.now());
      if (limit <= 0) throw new TransportError('timeout', false);
      const askedAt = clock.uptime();
      const { instead, ...way } = venue.passageOf(request);
      const late = (): Answered => {
        if (!instead || instead.ms > limit) throw new TransportError('timeout', true);
        if (instead.reply === 'unsent') throw new TransportError('not_connected', false);
        if (instead.reply === 'reset') throw new TransportError('reset', true);
        return { reply: instead.reply, date: undefined };
      };
      const act = async (): Promise<Answered> => ({ reply: venue.answer(request), date: venue.date() });
      const { reply, date } = await process.ask(act, { ...way, limit: Math.min(limit, instead?.ms ?? limit) }, late);
      clock.heed(date, askedAt);
      const { status = 200, body } = reply;
      const isJson = typeof body !== 'string';
      return { status, retryAfter: undefined, isJson, text: isJson ? JSON.stringify(body) : body };
    },
  };
}

/** Lets virtual processes ask a virtual venue, in modules that are imported afterwards. */
export function virtualizeTransport(): void {
  const createTransport: typeof transport.createTransport = (_url, now, clock = new VenueClock(now)) => connect(clock);
  jest.unstable_mockModule('../../../shared/venue/polymarket/http/transport.ts', () => ({
    ...transport,
    createTransport,
  }));
}

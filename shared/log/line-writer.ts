import type { Writable } from 'node:stream';

export interface LineWriter {
  write(line: string): void;
  /** Writes to another stream how many lines are lost and were not told of, if any are. */
  tellLost(elsewhere: Pick<Writable, 'write'>): void;
}

/** The most that is kept in memory for a reader that stands still. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;

function lossLine(lost: number): string {
  const message = 'lines of the log were lost: nothing could be written';
  return JSON.stringify({ time: new Date().toISOString(), level: 'error', message, lost });
}

export interface LineWriterOptions {
  readonly maxUnreadBytes?: number;
  /** Rewrites each line, those about lost lines too. Default: as it is. */
  readonly format?: ((line: string) => string) | undefined;
}

/**
 * Writes lines to a stream whose reader may go away or stand still, as a log shipper that restarts does: no order may end
 * for a line of the log. What cannot be written is dropped and counted, and the next line that can be written says so
 * first.
 */
export function createLineWriter(
  stream: Writable,
  { maxUnreadBytes = MAX_UNREAD_BYTES, format = (line) => line }: LineWriterOptions = {},
): LineWriter {
  let [lost, toldOf, unconfirmed] = [0, 0, 0];
  // Without a listener an error of the stream ends the process.
  stream.on('error', () => undefined);
  return {
    write: (line) => {
      if (stream.writableLength > maxUnreadBytes) {
        lost += 1;
        return;
      }
      const news = lost - toldOf;
      toldOf += news;
      unconfirmed += 1;
      stream.write(`${news > 0 ? `${format(lossLine(news))}\n` : ''}${format(line)}\n`, (error) => {
        unconfirmed -= 1;
        toldOf -= news;
        lost += error ? 1 : -news;
      });
    },
    tellLost: (elsewhere) => {
      // What was written in the same turn of the loop went the same way.
      if (lost > 0) elsewhere.write(`${format(lossLine(lost + unconfirmed))}\n`);
    },
  };
}

import {
  closeSync,
  existsSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { z } from 'zod';

const wholeNumber = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform((digits) => BigInt(digits));

const terms = z.object({
  id: z.string(),
  maker: z.string(),
  account: z.string(),
  owner: z.string(),
  marketId: z.string(),
  outcome: z.union([z.literal(0), z.literal(1)]),
  side: z.enum(['BUY', 'SELL']),
  price: wholeNumber,
  size: wholeNumber,
  budget: wholeNumber.nullable(),
  type: z.enum(['GTC', 'GTD', 'FOK', 'FAK']),
  postOnly: z.boolean(),
  expiration: z.number(),
});

const commandSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('create key'), at: z.number(), address: z.string(), nonce: z.string() }),
  z.object({ do: z.literal('delete key'), at: z.number(), key: z.string() }),
  z.object({ do: z.literal('order'), at: z.number(), terms }),
  z.object({ do: z.literal('cancel'), at: z.number(), ids: z.array(z.string()) }),
  z.object({ do: z.enum(['refresh', 'advance']), at: z.number(), step: z.number() }),
  z.object({ do: z.literal('tick'), at: z.number(), marketId: z.string(), tick: wholeNumber }),
  z.object({
    do: z.literal('holding'),
    at: z.number(),
    address: z.string(),
    tokenId: z.string().nullable(),
    amount: wholeNumber,
  }),
]);

/** Change of the venue. Replayed in order on an equal seed, equal commands give an equal venue. */
export type Command = z.infer<typeof commandSchema>;

const headerSchema = z.object({ paperVenue: z.literal(1), seed: z.number(), startedAt: z.number() });

/** First line of a state file; `startedAt` is the first start of the venue on it, in epoch milliseconds. */
export type JournalHeader = Omit<z.infer<typeof headerSchema>, 'paperVenue'>;

function line(value: unknown): string {
  return `${JSON.stringify(value, (_key, member: unknown) => (typeof member === 'bigint' ? member.toString() : member))}\n`;
}

/** Append-only file of commands: an appended one is on the disk before the call returns. */
export class Journal {
  readonly header: JournalHeader;
  readonly #file: string;
  #descriptor: number;

  private constructor(file: string, header: JournalHeader) {
    this.#file = file;
    this.header = header;
    this.#descriptor = openSync(file, 'a');
  }

  /**
   * Opens a state file, or makes one with `header`, and returns its commands. A last line cut short by a crash was
   * never acknowledged and is dropped. Throws when the file is not a state file or belongs to another seed.
   */
  static open(
    file: string,
    header: JournalHeader,
  ): { readonly journal: Journal; readonly commands: readonly Command[] } {
    if (!existsSync(file)) write(file, header);
    const text = readFileSync(file, 'utf8');
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first, ...rest] = whole.split('\n').slice(0, -1);
    const kept = headerSchema.safeParse(parse(first ?? ''));
    if (!kept.success) throw new Error(`${file} is not a state file of the paper venue`);
    if (kept.data.seed !== header.seed) {
      throw new Error(`${file} belongs to seed ${kept.data.seed}, not ${header.seed}`);
    }
    const commands = rest.map((row) => commandSchema.parse(parse(row)));
    const journal = new Journal(file, { seed: kept.data.seed, startedAt: kept.data.startedAt });
    ftruncateSync(journal.#descriptor, Buffer.byteLength(whole));
    return { journal, commands };
  }

  append(command: Command): void {
    writeSync(this.#descriptor, line(command));
    fdatasyncSync(this.#descriptor);
  }

  /** Forgets every command, in one step: the new file replaces the old one. */
  clear(): void {
    closeSync(this.#descriptor);
    write(this.#file, this.header);
    this.#descriptor = openSync(this.#file, 'a');
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function write(file: string, header: JournalHeader): void {
  writeFileSync(`${file}.tmp`, line({ paperVenue: 1, ...header }), { flush: true });
  renameSync(`${file}.tmp`, file);
}

/** Changes that no test notices, and the reason why none should. */
interface Accepted {
  readonly file: string;
  readonly why: string;
  /** The piece of the source on one line, an arrow, and what the mutant has in its place. */
  readonly changes: readonly string[];
}

const TYPES_ALONE = 'Only the types need it: it cannot come to that.';
const FAULT_OF_OURS = 'Says that code of ours is wrong. No call leads there.';

/** Survivors, each with its reason. */
export const ACCEPTED: readonly Accepted[] = [
  {
    file: 'shared/decimal.ts',
    why: 'Another way to the same number: a zero has the scale 0, and a power of ten to 0 is one.',
    changes: ['s > 0 -> s >= 0', 's < 0 -> s <= 0', '\'0\' -> ""', 'coefficient < 0n -> coefficient <= 0n'],
  },
  { file: 'shared/decimal.ts', why: TYPES_ALONE, changes: ['\'\' -> "Stryker was here!"'] },
  {
    file: 'shared/decimal.ts',
    why: 'A sentence of the API, which test/functions/reads.test.ts and test/functions/orders.test.ts read.',
    changes: ['\'must be an outcome token id: a uint256 in decimal, without sign or leading zeros.\' -> ""'],
  },
  {
    file: 'functions/cors.ts',
    why: 'No list has an origin that is absent.',
    changes: ['origin === undefined -> false'],
  },
  {
    file: 'functions/orders/verification/verification.ts',
    why: 'Neither of the two is an address, and a request without these headers has been refused by then.',
    changes: ['\'\' -> "Stryker was here!"'],
  },
  {
    file: 'shared/settings/config.ts',
    why: 'A line of the log, which test/local/main.test.ts reads.',
    changes: [
      '\'the account is eoa: the venue takes orders of such accounts only from its allowlist; a newer account is a deposit wallet, and SERVICE_FUNDER_ADDRESS its address\' -> ""',
    ],
  },
  {
    file: 'shared/settings/formats.ts',
    why: 'Neither of the two is the name of a table.',
    changes: ['\'\' -> "Stryker was here!"'],
  },
  {
    file: 'shared/settings/formats.ts',
    why: 'The rule of a format that takes every text is never told.',
    changes: ['\'a text\' -> ""', '\'1\' -> ""'],
  },
  {
    file: 'shared/settings/formats.ts',
    why: 'Nobody reads the value: that it is there is the consent.',
    changes: ['true -> false'],
  },
  { file: 'shared/settings/formats.ts', why: 'Names the class in a stack alone.', changes: ['\'ConfigError\' -> ""'] },
  {
    file: 'shared/settings/formats.ts',
    why: 'The first of the parts is not read.',
    changes: ['[] -> ["Stryker was here"]'],
  },
  {
    file: 'shared/settings/table.ts',
    why: TYPES_ALONE,
    changes: [
      'byDistance.sort((a, b) => a.distance - b.distance)[0]?.name -> byDistance.sort((a, b) => a.distance - b.distance)[0].name',
    ],
  },
  {
    file: 'shared/venue/polymarket/order-rules.ts',
    why: 'The sentence about the rules is the one that is not about an answer.',
    changes: ["{ waitedFor: 'rules' } -> {}", '\'rules\' -> ""'],
  },
  {
    file: 'shared/venue/polymarket/calls/post-order.ts',
    why: TYPES_ALONE,
    changes: [
      '\'\' -> "Stryker was here!"',
      'sentence && words -> true',
      'sentence && words -> sentence || words',
      'elsewhere && words -> true',
      'elsewhere && words -> elsewhere || words',
      'words?.reason -> words.reason',
    ],
  },
  {
    file: 'shared/venue/polymarket/submission.ts',
    why: 'Names a class in a stack, or a call in the log alone.',
    changes: ['\'NotSent\' -> ""', '\'post-order\' -> ""', '\'the order has expired\' -> ""'],
  },
  {
    file: 'shared/venue/polymarket/submission.ts',
    why: 'The sentence about the rules is the one that is not about an answer.',
    changes: ["{ waitedFor: 'rules' } -> {}", '\'rules\' -> ""'],
  },
  {
    file: 'shared/venue/polymarket/submission.ts',
    why: 'Of a bound, the very instant: a fraction of a microsecond, or one millisecond of clocks that differ by more.',
    changes: [
      'deadline - performance.now() >= LOOK_UP_RESERVE_MS + MIN_SEND_MS -> deadline - performance.now() > LOOK_UP_RESERVE_MS + MIN_SEND_MS',
      'performance.now() + pause >= call.deadline -> performance.now() + pause > call.deadline',
    ],
  },
  {
    file: 'shared/orders/day-cap.ts',
    why: 'Neither of the two is a number.',
    changes: ['\'\' -> "Stryker was here!"'],
  },
  {
    file: 'shared/orders/day-cap.ts',
    why: 'A day that is there twice is one in a set.',
    changes: ["day > (days[0] ?? '') -> day >= (days[0] ?? '')"],
  },
  {
    file: 'shared/orders/day-cap.ts',
    why: FAULT_OF_OURS,
    changes: ['\'a notional is finer than collateral\' -> ""'],
  },
  {
    file: 'shared/venue/polymarket/calls/post-order.ts',
    why: 'What is neither a text nor a number reads as no amount, by whatever name.',
    changes: ['value == null -> false'],
  },
  {
    file: 'shared/orders/orders.ts',
    why: 'A fact that is undefined is none in JSON.',
    changes: ['orderId === undefined -> false'],
  },
  {
    file: 'shared/orders/lease-watch.ts',
    why: 'What is left of a lease that is over is nothing or less either way.',
    changes: ['until <= now -> false', 'until <= now -> until < now'],
  },
  {
    file: 'shared/orders/orders.ts',
    why: TYPES_ALONE,
    changes: ["record.state === 'unfinished' -> true"],
  },
  {
    file: 'shared/orders/orders.ts',
    why: FAULT_OF_OURS,
    changes: ['!dayCap -> false', '\'the store refused a count that was not asked for\' -> ""'],
  },
  {
    file: 'shared/orders/held-order.ts',
    why: FAULT_OF_OURS,
    changes: [
      "answer.result === 'not_taken' -> false",
      '\'not_taken\' -> ""',
      '\'an order without a key was asked for again\' -> ""',
    ],
  },
  {
    file: 'shared/orders/held-order.ts',
    why: 'Absent members count as nothing: the other fates have none of them, and JSON has no place for them.',
    changes: ["fate.kind === 'unknown' -> true", 'error !== undefined -> true'],
  },
  {
    file: 'shared/orders/held-order.ts',
    why: 'Only the types need it: a record that could not be replaced as unfinished is not read as one.',
    changes: ["standing.state !== 'finished' -> false"],
  },
  {
    file: 'shared/orders/orders.ts',
    why: 'Base58 has no 0: no other address has these two characters.',
    changes: ['/^0x/i -> /0x/i'],
  },
  {
    file: 'shared/orders/orders.ts',
    why: 'A record is read as unfinished for its lease; until it is stored nobody asks.',
    changes: ['\'unfinished\' -> ""'],
  },
  {
    file: 'shared/orders/held-order.ts',
    why: 'Saves a comparison that comes to the same.',
    changes: ['standing === record -> false'],
  },
  {
    file: 'shared/venue/polymarket/http/signed-requests.ts',
    why: 'Of a bound, the very instant.',
    changes: [
      'Math.abs(clob.clock.skew - skew) > NOTICEABLE_SKEW_MS -> Math.abs(clob.clock.skew - skew) >= NOTICEABLE_SKEW_MS',
    ],
  },
  {
    file: 'shared/venue/polymarket/http/transport.ts',
    why: TYPES_ALONE,
    changes: ['[] -> ["Stryker was here"]', '\'timeout\' -> ""', '{ return undefined; } -> {}'],
  },
  {
    file: 'shared/venue/polymarket/http/transport.ts',
    why: 'An absent header is no number, no date and no JSON.',
    changes: ['value === undefined -> false', '\'\' -> "Stryker was here!"'],
  },
  {
    file: 'shared/venue/polymarket/http/transport.ts',
    why: 'A promise that is settled hears no more: an error less to make.',
    changes: ['!answer -> true'],
  },
  {
    file: 'shared/venue/polymarket/http/transport.ts',
    why: 'Of a bound, the very instant.',
    changes: ['limit <= 0 -> limit < 0'],
  },
  {
    file: 'shared/venue/polymarket/http/reads.ts',
    why: TYPES_ALONE,
    changes: ['pause !== undefined -> true', '\'\' -> "Stryker was here!"'],
  },
  {
    file: 'shared/venue/polymarket/http/reads.ts',
    why: FAULT_OF_OURS,
    changes: ['error instanceof TransportError -> true'],
  },
  {
    file: 'shared/venue/polymarket/http/reads.ts',
    why: 'The pause is random between two bounds, of which the tests hold the lower one.',
    changes: [
      'Math.random() * (RETRY_PAUSE_MS.max - RETRY_PAUSE_MS.min) -> Math.random() / (RETRY_PAUSE_MS.max - RETRY_PAUSE_MS.min)',
      'RETRY_PAUSE_MS.max - RETRY_PAUSE_MS.min -> RETRY_PAUSE_MS.max + RETRY_PAUSE_MS.min',
    ],
  },
  {
    file: 'shared/venue/polymarket/http/reads.ts',
    why: 'Of a bound, the very instant.',
    changes: [
      'performance.now() + pause + MIN_RETRY_MS < call.deadline -> performance.now() + pause + MIN_RETRY_MS <= call.deadline',
    ],
  },
  {
    file: 'shared/venue/polymarket/http/reads.ts',
    why: 'A read without its answer is not joined: the name of one is left in memory, which no answer shows.',
    changes: ['running.get(key) === read -> false', 'running.delete(key); -> ;'],
  },
  {
    file: 'shared/orders/dynamodb-store.ts',
    why: TYPES_ALONE,
    changes: ['[] -> ["Stryker was here"]', '\'None\' -> ""', 'atMost !== undefined -> true'],
  },
  {
    file: 'shared/orders/dynamodb-store.ts',
    why: 'DynamoDB writes a number with no other characters.',
    changes: ['/^-?\\d+$/ -> /-?\\d+$/', '/^-?\\d+$/ -> /^-?\\d+/'],
  },
  {
    file: 'shared/orders/dynamodb-store.ts',
    why: 'An error without reasons of a cancellation is thrown a few lines later.',
    changes: ['!(error instanceof TransactionCanceledException) -> false'],
  },
  {
    file: 'shared/orders/dynamodb-store.ts',
    why: 'How long a pause is, which the time of the call bounds: the tests hold the number of attempts.',
    changes: [
      'Math.max(...known) -> Math.min(...known)',
      'Math.min(read * 2 ** repeats, LONGEST_PAUSE_MS) -> Math.max(read * 2 ** repeats, LONGEST_PAUSE_MS)',
      'longest * (0.5 + Math.random() / 2) -> longest / (0.5 + Math.random() / 2)',
      'Math.random() / 2 -> Math.random() * 2',
      '{ signal: abortSignal } -> {}',
    ],
  },
  {
    file: 'local/order-store/sqlite-file.ts',
    why: TYPES_ALONE,
    changes: [
      "db.prepare('PRAGMA user_version').get()?.['user_version'] -> db.prepare('PRAGMA user_version').get()['user_version']",
      "statements.moveLog.get()?.['log'] -> statements.moveLog.get()['log']",
      "statements.emptyLog.get()?.['busy'] -> statements.emptyLog.get()['busy']",
      'atMost !== undefined -> true',
      "typeof record === 'string' -> true",
      '[undefined, undefined] -> []',
    ],
  },
  {
    file: 'local/order-store/sqlite-file.ts',
    why: 'A file that was just opened is read from its start.',
    changes: ['{ position: 0 } -> {}'],
  },
  {
    file: 'local/order-store/sqlite-file.ts',
    why: 'How long it waits for another process: test/local/order-store/lost-files.test.ts opens one file in several at once.',
    changes: [
      '{ timeout: patienceMs } -> {}',
      '\'PRAGMA busy_timeout = 0\' -> ""',
      'Math.min(patienceMs, LOCK_WAIT_MS) -> Math.max(patienceMs, LOCK_WAIT_MS)',
      'attempt <= MOVE_ATTEMPTS -> attempt < MOVE_ATTEMPTS',
      'Atomics.wait(pause, 0, 0, MOVE_PAUSE_MS); -> ;',
    ],
  },
  {
    file: 'local/order-store/sqlite-file.ts',
    why: 'Empties or moves the log once more than is needed, or tries again for nothing.',
    changes: [
      '\'busy\' -> ""',
      '!emptyLog(file) -> true',
      "call.ask === 'replace' && call.row.holder === null -> true",
      'call.row.holder === null -> true',
      "'row' in call && call.row.holder !== null -> true",
      'call.row.holder !== null -> true',
      'calls.some(precedesSending) -> true',
      'calls.some(leavesBytes) -> true',
      'log === checkpointed -> false',
      'log === checkpointed -> log !== checkpointed',
      'clearTimeout(emptying); -> ;',
    ],
  },
  {
    file: 'local/order-store/sqlite-file.ts',
    why: 'Another check comes to the same: what it guards looks for itself.',
    changes: [
      'known === LOST -> true',
      'known !== undefined && identify(path) !== known -> false',
      '{ // What is wrong with the file is told by the calls that need it. return false; } -> {}',
    ],
  },
  {
    file: 'local/order-store/store-files.ts',
    why: TYPES_ALONE,
    changes: [
      'true -> false',
      'look(path + suffix)?.size -> look(path + suffix).size',
      'name !== undefined -> true',
      "Error.isError(error) && 'errcode' in error -> true",
      "Error.isError(error) && 'errcode' in error -> Error.isError(error) || 'errcode' in error",
      '{ return false; } -> {}',
    ],
  },
  {
    file: 'local/order-store/store-files.ts',
    why: 'Does once more what is done, or what SQLite does by itself.',
    changes: [
      '{ timeout: 0 } -> {}',
      "sizeOf('-shm') < INDEX_BYTES -> true",
      "sizeOf('-shm') < INDEX_BYTES -> sizeOf('-shm') <= INDEX_BYTES",
      '\'-shm\' -> ""',
    ],
  },
  {
    file: 'local/order-store/store-files.ts',
    why: 'Of a bound, the very instant; and how long it waits.',
    changes: [
      'Math.min(patienceMs, MOST_PATIENCE_MS) -> Math.max(patienceMs, MOST_PATIENCE_MS)',
      'performance.now() > end -> performance.now() >= end',
    ],
  },
  { file: 'functions/pipeline.ts', why: FAULT_OF_OURS, changes: ['\'the endpoint was not opened\' -> ""'] },
];

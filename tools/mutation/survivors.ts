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
    why: TYPES_ALONE,
    changes: ['oldest !== undefined -> true'],
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
      'words?.reason -> words.reason',
    ],
  },
  {
    file: 'shared/venue/polymarket/submission.ts',
    why: 'Names a class in a stack, or a call in the log alone.',
    changes: ['\'LeaseEnded\' -> ""', '\'Expired\' -> ""', '\'post-order\' -> ""', '\'the order has expired\' -> ""'],
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
      'expiresAt <= now() -> expiresAt < now()',
    ],
  },
  {
    file: 'shared/orders/record.ts',
    why: 'A finished record has no lease whose holder could be named.',
    changes: ["record.state === 'unfinished' -> true"],
  },
  {
    file: 'shared/orders/day-cap.ts',
    why: 'Neither of the two is a number.',
    changes: ['\'\' -> "Stryker was here!"'],
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
    changes: [
      "record.state === 'unfinished' -> true",
      'deps.dayCap?.admit -> deps.dayCap.admit',
      '\'\' -> "Stryker was here!"',
    ],
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
    why: 'Absent members count as nothing: the other fates have none of them.',
    changes: [
      'unprovenBefore === null -> false',
      "fate.kind === 'unknown' -> true",
      "fate.kind === 'not_taken' -> true",
    ],
  },
  {
    file: 'shared/orders/held-order.ts',
    why: 'Saves a comparison that comes to the same.',
    changes: ['standing === record -> false'],
  },
  {
    file: 'shared/venue/polymarket/http/signed-requests.ts',
    why: 'Of a bound, the very instant.',
    changes: ['Math.abs(skewNow - skew) > NOTICEABLE_SKEW_MS -> Math.abs(skewNow - skew) >= NOTICEABLE_SKEW_MS'],
  },
];

import { expect, it } from '@jest/globals';
import { createVenueClock } from '../../../../../shared/venue/polymarket/http/clock.ts';

const NOW = Date.parse('2026-11-02T09:00:00Z');

/**
 * Plays steps, each with a number of seconds: `answer`, the venue's time from `NOW`; `passes`, time of both of our clocks;
 * `wall`, a step of our wall clock. Returns the time after each from `NOW`, with `confirm` where a second answer must
 * agree, and `stale` where the venue must be asked.
 */
function played(steps: string, wallAhead: number) {
  let [own, uptime] = [NOW + wallAhead * 1_000, 7];
  const warnings: number[] = [];
  const clock = createVenueClock({
    ownNow: () => own,
    uptime: () => uptime,
    onWrong: (ms) => warnings.push(ms / 1_000),
  });
  const times = steps.split(', ').map((step) => {
    const [kind, text] = step.split(' ');
    const ms = Number(text) * 1_000;
    const asks = kind === 'answer' && clock.heed(new Date(NOW + ms).toUTCString());
    if (kind !== 'answer') own += ms;
    if (kind === 'passes') uptime += ms;
    return `${(clock.now() - NOW) / 1_000}${asks ? ' confirm' : ''}${clock.isStale() ? ' stale' : ''}`;
  });
  return { times: times.join(', '), warnings };
}

it.each<[string, number, string, string, ...number[]]>([
  ['ours counts before the first answer', 30, 'passes 10, wall -5', '40, 35'],
  ['the first answer replaces it, backwards too', 30, 'answer 0', '0'],
  ['it runs on between answers', 0, 'answer 0, passes 10', '0, 10'],
  ['it never goes back', 0, 'answer 50, answer 20, answer 51', '50, 50, 51'],
  ['a step of ours changes nothing, and back is no sign', 0, 'answer 0, wall -3600', '0, 0'],
  ['a step ahead asks the venue', 0, 'answer 0, wall 6, answer 0', '0, 0 stale, 0'],
  ['5 s ahead do not', 0, 'answer 0, wall 5', '0, 0'],
  ['a machine 2 h behind', -7200, 'answer 0, answer 1', '-7200 confirm, 1', 7201],
  ['a machine 2 h ahead', 7200, 'answer 0, answer 0', '7200 confirm, 0', -7200],
  ['59 s need no second answer', 59, 'answer 0', '0'],
  [
    'one answer 10 minutes ahead moves nothing',
    0,
    'answer 0, answer 600, answer 1, answer 600',
    '0, 0 confirm, 1, 1 confirm',
  ],
  ['nor do two that differ by 6 s', 0, 'answer 0, answer 600, answer 606', '0, 0 confirm, 0 confirm'],
  ['two that agree do', 0, 'answer 0, answer 600, passes 9, answer 614', '0, 0 confirm, 9, 614', 605],
  ['an hour behind moves nothing and asks for nothing', 0, 'answer 0, answer -3600', '0, 0'],
  ['a suspend of 1 h', 0, 'answer 0, wall 3600, answer 3600, answer 3600', '0, 0 stale, 0 confirm stale, 3600'],
  ['a warning comes once', 7200, 'answer 0, answer 0, answer 9', '7200 confirm, 0, 9', -7200],
])('%s', (_rule, wallAhead, steps, times, ...warnings) => {
  expect(played(steps, wallAhead)).toStrictEqual({ times, warnings });
});

it.each([undefined, '0', '2026-11-02', 'Mon, 02 Nov 2026 09:10:10', '02 Nov 2026 09:10:10 +0100'])(
  'learns nothing from a Date that is none of HTTP: %s',
  (date) => {
    const clock = createVenueClock({ ownNow: () => NOW });
    expect([clock.heed(date), clock.skew(), clock.isKnown()]).toStrictEqual([false, 0, false]);
  },
);

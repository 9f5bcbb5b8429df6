import { find, say } from './dom.ts';
import { disarmFaultsAtEnd, setFault } from './paper.ts';

/** Faults that the venue is armed with, by the values of the switch. */
const FAULTS: Readonly<Record<string, object>> = {
  'lost-venue-answer': { fault: 'reset-after', method: 'POST', path: '/order', times: 1 },
  'venue-down': { fault: 'edge-503', times: 1_000_000 },
};

/** Switch for faults of the paper venue, and of the way from the service to this page. */
export type FaultSwitch = ReturnType<typeof createFaultSwitch>;

/** Connects the switch to the venue; calls `onChange` after every change. */
export function createFaultSwitch(onChange: () => void) {
  const select = find('fault', HTMLSelectElement);
  let changing = Promise.resolve();
  let isArmed = false;

  async function change(value: string): Promise<void> {
    const fault = FAULTS[value];
    try {
      // The venue disarms all faults at once: those of other clients stay only while this page has armed none.
      if (isArmed) await setFault(undefined);
      isArmed = false;
      if (fault) await setFault(fault);
      isArmed = fault !== undefined;
      say('fault-error', '');
    } catch (error) {
      say('fault-error', `The fault was not changed: ${error instanceof Error ? error.message : error}`);
    }
    onChange();
  }

  // One after the other: two that overlap would leave the venue with the faults of both.
  function queueChange(): void {
    const { value } = select;
    changing = changing.then(() => change(value));
  }

  select.addEventListener('change', queueChange);
  // A page that comes after this one would not know of the fault.
  addEventListener('pagehide', () => isArmed && disarmFaultsAtEnd());
  return {
    losesAnswers: () => select.value === 'lost-answer',
    /** Resolves once the venue has every change so far. */
    ready: () => changing,
    /** Turns off what lasts for one order. */
    orderAnswered: () => {
      if (!select.value.startsWith('lost')) return;
      select.value = 'none';
      queueChange();
    },
  };
}

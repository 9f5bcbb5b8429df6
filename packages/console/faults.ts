import { find, make, say } from './dom.ts';
import { armFault, disarmFaults, disarmFaultsAtEnd, listFaults } from './paper.ts';

interface SwitchSettings {
  /** Fault that the venue is armed with. */
  readonly fault?: Readonly<Record<string, string | number>>;
  /** Drops the answers to the next order in this page. */
  readonly losesAnswers?: boolean;
  /** Lasts for one order, and is off again when that one is answered. */
  readonly once?: boolean;
}

/** Faults to choose from, by the values of the switch. */
const FAULTS: Readonly<Record<string, SwitchSettings>> = {
  none: {},
  'lost-answer': { losesAnswers: true, once: true },
  'lost-venue-answer': { fault: { fault: 'reset-after', method: 'POST', path: '/order', times: 1 }, once: true },
  'venue-down': { fault: { fault: 'edge-503', times: 1_000_000 } },
};

/** Switch for faults of the paper venue, and of the way from the service to this page. */
export interface FaultSwitch {
  losesAnswers(): boolean;
  /** Resolves once the venue has every change so far. */
  ready(): Promise<void>;
  /** Turns off what lasts for one order. */
  orderAnswered(): void;
  /** Shows the faults that are armed at the venue, by this page or by another client. */
  refresh(): Promise<void>;
}

/** Connects the switch to the venue; calls `onChange` after every change. */
export function createFaultSwitch(onChange: () => void): FaultSwitch {
  const select = find('fault', HTMLSelectElement);
  const armed = find('armed-faults', HTMLElement);
  const disarm = find('disarm', HTMLButtonElement);
  let changing = Promise.resolve();
  let isArmed = false;

  async function refresh(): Promise<void> {
    const faults = await listFaults().catch(() => []);
    armed.replaceChildren(...faults.map((fault) => make('li', {}, `Armed at the venue: ${fault}`)));
    disarm.hidden = faults.length === 0;
  }

  async function change(value: string): Promise<void> {
    const { fault } = FAULTS[value] ?? {};
    try {
      // The venue disarms all faults at once: those of other clients stay only while this page has armed none.
      if (isArmed) await disarmFaults();
      isArmed = false;
      if (fault) await armFault(fault);
      isArmed = fault !== undefined;
      say('fault-error', '');
    } catch (error) {
      say('fault-error', `The fault was not changed: ${error instanceof Error ? error.message : error}`);
    }
    await refresh();
    onChange();
  }

  // One after the other: two that overlap would leave the venue with the faults of both.
  function queueChange(): void {
    const { value } = select;
    changing = changing.then(() => change(value));
  }

  select.addEventListener('change', queueChange);
  disarm.addEventListener('click', () => {
    [select.value, isArmed] = ['none', true];
    queueChange();
  });
  // A page that comes after this one would not know of the fault.
  addEventListener('pagehide', () => {
    if (isArmed) disarmFaultsAtEnd();
  });
  return {
    ready: () => changing,
    losesAnswers: () => FAULTS[select.value]?.losesAnswers === true,
    orderAnswered: () => {
      if (!FAULTS[select.value]?.once) return;
      select.value = 'none';
      queueChange();
    },
    refresh,
  };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { TimerOptions } from 'node:timers';
import timers from 'node:timers/promises';
import { jest } from '@jest/globals';
import type { VenueHttpRequest } from '../../../shared/venue/polymarket/http/transport.ts';
import type { HttpReply } from '../venue/scripted-venue.ts';

/** What happens at a time. Time stands still until it has happened, however long that takes. */
interface Event {
  readonly at: number;
  readonly happen: () => unknown;
}

/** A time that passes from event to event. */
export class VirtualTime {
  /** In milliseconds of the Unix epoch, by a clock that is right. */
  now: number;
  readonly #events: Event[] = [];

  constructor(start: number) {
    this.now = start;
  }

  /** Lets something happen later. */
  after(ms: number, happen: Event['happen']): void {
    const at = this.now + ms;
    const place = this.#events.findIndex((event) => event.at > at);
    this.#events.splice(place < 0 ? this.#events.length : place, 0, { at, happen });
  }

  /** Lets all happen that happens until a time; `isOver` ends it before. */
  async pass(ms: number, isOver: () => boolean): Promise<void> {
    const end = this.now + ms;
    for (let next = this.#events[0]; next && next.at <= end && !isOver(); next = this.#events[0]) {
      this.#events.shift();
      this.now = next.at;
      await next.happen();
      // A tick comes after every promise that can go on.
      await new Promise<void>((resolve) => process.nextTick(resolve));
    }
    this.now = Math.max(this.now, end);
  }
}

/** The ways of something that is asked outside of a process, in milliseconds; infinite where it is lost. */
export interface Ways {
  readonly there: number;
  readonly back: number;
  /** The process waits no longer than this. */
  readonly limit: number;
}

/** The ways of a request to the venue and of its answer. */
export interface Passage extends Omit<Ways, 'limit'> {
  /** What the process sees in the place of an answer, and when. */
  readonly instead?: { readonly ms: number; readonly reply: HttpReply | 'unsent' | 'reset' };
}

/** A venue in virtual time. */
export interface VirtualVenue {
  passageOf(request: VenueHttpRequest): Passage;
  answer(request: VenueHttpRequest): HttpReply;
  /** Returns its time as a `Date` header. */
  date(): string;
}

/** What all processes have around them. */
export interface Surroundings {
  readonly time: VirtualTime;
  readonly venue: VirtualVenue;
  readonly random: () => number;
}

/** A process of the service, with clocks of its own. */
export class VirtualProcess {
  readonly around: Surroundings;
  /** Called whenever the process could go on: it may be killed then, or made to stand still. */
  readonly #mishap: () => void;
  /** The milliseconds by which its wall clock is ahead. */
  readonly #wallError: () => number;
  #isKilled = false;
  #stillUntil = 0;
  #slept = 0;

  constructor(around: Surroundings, wallError: () => number, mishap: () => void) {
    this.around = around;
    this.#wallError = wallError;
    this.#mishap = mishap;
  }

  /** Its wall clock. */
  readonly wall = (): number => Math.floor(this.around.time.now + this.#wallError());
  /** Its monotonic clock, which stands still while its machine sleeps. */
  readonly uptime = (): number => this.around.time.now - this.#slept;

  /** Ends the process: nothing in it goes on. */
  kill(): void {
    this.#isKilled = true;
  }

  /** Lets nothing in the process go on for a time; its monotonic clock stands still too where the machine `sleeps`. */
  standStill(ms: number, sleeps: boolean): void {
    this.#stillUntil = this.around.time.now + ms;
    if (sleeps) this.#slept += ms;
  }

  /** Runs code of this process, now and after everything that it awaits. */
  run<T>(act: () => T): T {
    return running.run(this, act);
  }

  /** Waits; without end once the process is killed. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const goOn = () => {
        if (this.#isKilled) return;
        const still = this.#stillUntil - this.around.time.now;
        if (still > 0) this.around.time.after(still, goOn);
        else resolve();
      };
      this.around.time.after(ms, () => {
        if (!this.#isKilled && this.#stillUntil <= this.around.time.now) this.#mishap();
        goOn();
      });
    });
  }

  /** Asks something outside: what has left the process arrives, and acts there, whatever becomes of the process. `late` answers in its place. */
  async ask<T>(act: () => Promise<T>, { there, back, limit }: Ways, late: () => T): Promise<T> {
    const acted = Promise.withResolvers<T>();
    acted.promise.catch(() => undefined);
    if (Number.isFinite(there)) this.around.time.after(there, () => act().then(acted.resolve, acted.reject));
    await this.pause(Math.min(there + back, limit));
    return there + back > limit ? late() : acted.promise;
  }
}

const running = new AsyncLocalStorage<VirtualProcess>();

/** Returns the process whose code runs. */
export function runningProcess(): VirtualProcess {
  const process = running.getStore();
  if (!process) throw new Error('no virtual process runs');
  return process;
}

/**
 * Gives the code of virtual processes their clocks, pauses and chances in the place of the real ones. A module has the
 * pauses where it is imported afterwards.
 */
export function virtualizeTime(): void {
  const real = {
    wall: Date.now,
    uptime: performance.now.bind(performance),
    random: Math.random,
    sleep: timers.setTimeout,
    setTimeout: globalThis.setTimeout,
  };
  jest.spyOn(Date, 'now').mockImplementation(() => running.getStore()?.wall() ?? real.wall());
  jest.spyOn(performance, 'now').mockImplementation(() => running.getStore()?.uptime() ?? real.uptime());
  jest.spyOn(Math, 'random').mockImplementation(() => (running.getStore()?.around ?? real).random());
  // In real time, what a virtual process awaits is there long before a time-out, which must not keep the test running.
  jest.spyOn(globalThis, 'setTimeout').mockImplementation((...timeout) => {
    const timer = real.setTimeout(...timeout);
    return running.getStore() ? timer.unref() : timer;
  });
  const sleep = async (ms?: number, value?: unknown, options?: TimerOptions): Promise<unknown> => {
    const process = running.getStore();
    if (!process) return real.sleep(ms, value, options);
    await process.pause(ms ?? 0);
    return value;
  };
  jest.unstable_mockModule('node:timers/promises', () => ({ ...timers, default: timers, setTimeout: sleep }));
}

/**
 * Detects that the system clock was set. Everything that waits for a time of day is then checked
 * again, and stored times are adjusted.
 */
import { repeat } from "../engine/health/repeat.ts";
import type { Clock } from "../model/clock.ts";
import type { Log } from "../model/log.ts";
import { CLOCK_SEEN_NOTE, type Notes, type Upkeep } from "../model/store.ts";
import { createJumpMonitor, ORDINARY_CORRECTION_MS } from "../schedule/misfire.ts";

const EVERY_MS = 3_000;
/**
 * How often the time is stored. A clock that is set back while the daemon is stopped is noticed
 * only if it then shows an earlier time than the last stored one.
 */
const NOTE_EVERY_MS = 60_000;

export interface ClockMonitorDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Pick<Upkeep, "setTimesBack"> & Pick<Notes, "writeNote">;
  /**
   * Returns the outbox pump, the loop that sends alerts. It is a function because a reload replaces
   * the pump.
   */
  readonly pump: () => { setTimesBack(byMs: number): void; wake(): void };
  /** The active silences, which are read again after the clock was set. */
  readonly silences: { load(): Promise<void> };
  readonly engine: { wake(): void };
}

export interface StoppedClockDeps extends Pick<ClockMonitorDeps, "clock" | "log"> {
  readonly store: Pick<Upkeep, "setTimesBack"> & Notes;
}

/**
 * Moves the stored times back if the clock was set back while the daemon was stopped: it then shows
 * an earlier time than the last one that was stored. Called at startup.
 */
export async function handleClockSetWhileStopped({
  clock,
  log,
  store,
}: StoppedClockDeps): Promise<void> {
  const seenMs = await store.readNote(CLOCK_SEEN_NOTE);
  const behindMs = typeof seenMs === "number" ? seenMs - clock.now() : 0;
  if (behindMs < ORDINARY_CORRECTION_MS) return;
  await store.setTimesBack(behindMs);
  log.warn("the clock was set back while the daemon was stopped", {
    by_seconds: Math.round(behindMs / 1_000),
  });
}

/**
 * Watches the clock. Returns a function that ends this. If a change of the clock could not be
 * handled because the state cannot be written, the next check tries again.
 */
export function watchClock({
  clock,
  log,
  store,
  pump,
  silences,
  engine,
}: ClockMonitorDeps): () => void {
  const jumps = createJumpMonitor(clock.now(), clock.monotonic());
  let jumpMs = 0;
  let notedAtMs = Number.NEGATIVE_INFINITY;
  const note = async () => {
    if (clock.monotonic() - notedAtMs < NOTE_EVERY_MS) return;
    await store.writeNote(CLOCK_SEEN_NOTE, clock.now());
    notedAtMs = clock.monotonic();
  };
  return repeat({
    clock,
    everyMs: EVERY_MS,
    work: async () => {
      jumpMs += jumps.observe(clock.now(), clock.monotonic());
      if (jumpMs === 0) return note();
      if (jumpMs < 0) await store.setTimesBack(-jumpMs);
      if (jumpMs < 0) pump().setTimesBack(-jumpMs);
      await silences.load();
      log.warn("the clock was set", { by_seconds: Math.round(jumpMs / 1_000) });
      jumpMs = 0;
      pump().wake();
      engine.wake();
    },
    onError: () => undefined,
  });
}

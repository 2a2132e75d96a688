/** A set-up file of every test: what bounds a test that the runner's own limit cannot end. */
import fc from "fast-check";
import { startWatchdog } from "./watchdog.ts";

/**
 * A property with its shrinking. Longer than the runner gives a test, so that only what that cannot
 * end is ended by this.
 */
const MAX_PROPERTY_MS = 100_000;
const MAX_SILENCE_MS = 110_000;

fc.configureGlobal({ interruptAfterTimeLimit: MAX_PROPERTY_MS, markInterruptAsFailure: true });

/** One for the process, however many files it runs. */
const STARTED = Symbol.for("chirpwatch.watchdog");
const seen = globalThis as { [STARTED]?: true };
if (seen[STARTED] === undefined) {
  seen[STARTED] = true;
  startWatchdog({ maxSilenceMs: MAX_SILENCE_MS, beatMs: 1_000 });
}

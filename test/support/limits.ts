/** A set-up file of every test: limits for a test that the runner's own limit cannot end. */
import fc from "fast-check";
import { startWatchdog } from "./watchdog.ts";

/**
 * The limit for a property with its shrinking. It is longer than the runner's limit, so it ends
 * only tests that the runner cannot end.
 */
const MAX_PROPERTY_MS = 100_000;
const MAX_SILENCE_MS = 110_000;

fc.configureGlobal({ interruptAfterTimeLimit: MAX_PROPERTY_MS, markInterruptAsFailure: true });

/** The watchdog of the process, however many files it runs. */
const STARTED = Symbol.for("chirpwatch.watchdog");
const seen = globalThis as { [STARTED]?: true };
if (seen[STARTED] === undefined) {
  seen[STARTED] = true;
  startWatchdog({ maxSilenceMs: MAX_SILENCE_MS, beatMs: 1_000 });
}

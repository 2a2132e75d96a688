/** Tells the operator when the data service goes dark or refuses the key, and when it is back; asks now and then while it refuses. */
import type { UpstreamPacer } from "../../budget/upstream-pacer.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import type { Log } from "../../model/log.ts";
import type { Meter } from "../../model/meter.ts";
import type { Notes } from "../../model/store.ts";
import type { UpstreamError } from "../../model/upstream.ts";
import type { Notices } from "../../model/notices.ts";
import { createRepeated } from "./repeat.ts";

export interface UpstreamWatch {
  /** Takes the outcome of every attempt. */
  takeOutcome(error: UpstreamError | undefined): void;
  /** True while the key is refused: nothing is polled at all. */
  readonly isStopped: boolean;
  /** Whether the operator was told that the service is dark, and not yet that it is back. */
  readonly isDark: boolean;
  /** Undefined when all is well. */
  readonly trouble: { readonly reason: string; readonly sinceMs: number } | undefined;
  start(): Promise<void>;
  stop(): void;
}

export interface UpstreamWatchDeps {
  readonly pacer: UpstreamPacer;
  readonly notices: Notices;
  readonly notes: Notes;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
  /** Asks /key-usage-info, which is free; true when the service would answer again. */
  readonly probe: () => Promise<boolean>;
  /** Called when the service answers again after it refused. */
  readonly onBack: () => void;
}

/** A failure shorter than that is retried without a word. */
const TELL_AFTER_MS = 60_000;
/** Nothing but 429 for so long is no storm that passes. */
const TELL_THROTTLED_AFTER_MS = 300_000;
const CHECK_EVERY_MS = 5_000;
const NOTE = "upstream.dark";

export function createUpstreamWatch(deps: UpstreamWatchDeps): UpstreamWatch {
  const { pacer, clock } = deps;
  let lastError: UpstreamError | undefined;
  let failingSinceMs: number | undefined;
  let throttledSinceMs: number | undefined;
  let isTold = false;

  const tellDark = async (message: string, hint: string) => {
    if (isTold) return;
    isTold = true;
    await deps.notes.writeNote(NOTE, clock.now()).catch(() => undefined);
    await deps.notices.tell({
      type: "upstream.dark",
      subject: "upstream",
      severity: "critical",
      message,
      hint,
      facts: { since: isoTime(failingSinceMs ?? throttledSinceMs ?? clock.now()) },
    });
  };

  const tellBack = async () => {
    isTold = false;
    await deps.notes.writeNote(NOTE, null).catch(() => undefined);
    await deps.notices.tell({
      type: "upstream.recovered",
      subject: "upstream",
      severity: "info",
      message: "The data service answers again; what was missed is being read.",
    });
  };

  const check = async () => {
    const status = pacer.status(clock.monotonic());
    deps.meter.set("chirpwatch_upstream_up", status.kind === "stopped" || failingSinceMs !== undefined ? 0 : 1);
    if (status.kind === "stopped") {
      await tellDark(...stopText(status.because, lastError));
      if (pacer.takeProbe(clock.monotonic()) && (await deps.probe())) {
        pacer.resume();
        deps.onBack();
      }
    } else if (failingSinceMs !== undefined && clock.now() - failingSinceMs >= TELL_AFTER_MS) {
      await tellDark(
        `The data service has been failing since ${isoTime(failingSinceMs)}: ${lastError?.message ?? "no answer"}`,
        "Nothing is lost: what is missed now is read when it answers again.",
      );
    } else if (throttledSinceMs !== undefined && clock.now() - throttledSinceMs >= TELL_THROTTLED_AFTER_MS) {
      await tellDark(
        `The data service has answered nothing but 429 since ${isoTime(throttledSinceMs)}: it takes no more requests of this key for now.`,
        "Nothing is lost: what is missed now is read when it answers again. Look whether someone else uses the key, or lower api.rate_limit.",
      );
    }
  };

  const repeated = createRepeated({
    clock,
    everyMs: CHECK_EVERY_MS,
    work: check,
    onError: (error) => deps.log.error("upstream check failed", { error }),
  });

  return {
    takeOutcome(error) {
      if (error?.kind === "rate_limited") throttledSinceMs ??= clock.now();
      else if (error?.kind !== "transient") throttledSinceMs = undefined;
      if (error === undefined) {
        // It was under way when another one was refused.
        if (pacer.status(clock.monotonic()).kind === "stopped") return;
        failingSinceMs = undefined;
        lastError = undefined;
        if (isTold) void tellBack();
        return;
      }
      if (error.kind === "transient") failingSinceMs ??= clock.now();
      if (error.kind === "billing" || error.kind === "unauthorized") {
        failingSinceMs ??= clock.now();
        lastError = error;
        void tellDark(...stopText(error.kind, error));
      }
      lastError = error;
    },
    get isStopped() {
      return pacer.status(clock.monotonic()).kind === "stopped";
    },
    get isDark() {
      return isTold;
    },
    get trouble() {
      const status = pacer.status(clock.monotonic());
      if (status.kind === "throttled") return { reason: "throttled", sinceMs: clock.now() };
      if (failingSinceMs === undefined) return undefined;
      return { reason: lastError?.message ?? "failing", sinceMs: failingSinceMs };
    },
    async start() {
      isTold = (await deps.notes.readNote(NOTE)) !== null;
      repeated.start();
    },
    stop: repeated.stop,
  };
}

function stopText(because: "billing" | "unauthorized", error: UpstreamError | undefined): [string, string] {
  const said = error === undefined ? "" : ` (${error.status ?? ""} ${error.message})`;
  if (because === "unauthorized")
    return [
      `The data service refuses the API key${said}: polling stopped, deliveries go on.`,
      "Put a valid key into api.key or its key_file; a reload takes it over.",
    ];
  if (error?.status === 402)
    return [
      `The data service wants payment${said}: polling stopped, deliveries go on.`,
      "Pay the subscription; chirpwatch asks once an hour and goes on by itself.",
    ];
  return [
    `The request quota is used up or the subscription has ended${said}: polling stopped, deliveries go on.`,
    "Top up or upgrade; chirpwatch asks once an hour and goes on by itself.",
  ];
}

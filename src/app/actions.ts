/** What the operator can ask of a running daemon: reload, pause, resume. A reload is all or nothing. */
import type { Config } from "../config/config.ts";
import { formatIssue } from "../config/report.ts";
import type { Engine } from "../engine/engine.ts";
import type { Notices } from "../engine/notices.ts";
import { type Clock, isoTime } from "../model/clock.ts";
import { errorText } from "../model/errors.ts";
import type { Meter } from "../model/meter.ts";
import type { Store } from "../model/store.ts";
import { StoreError } from "../model/store-error.ts";
import type { Actions, ConfigView, ReloadOutcome } from "../server/views.ts";
import type { DaemonDeps } from "./daemon-deps.ts";
import { setWatchPaused } from "./pause.ts";

export interface ActionsDeps {
  readonly deps: DaemonDeps;
  readonly store: Store;
  readonly engine: Engine;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly config: () => Config;
  /** Puts a checked configuration in force. */
  readonly swap: (next: Config) => Promise<void>;
}

export interface DaemonActions extends Actions {
  readonly lastRefusal: () => ConfigView["failed_reload"];
  readonly loadedAtMs: () => number;
  /** The state can be written again: a configuration that it could not take is loaded once more. */
  storeRecovered(): void;
}

export function createActions({ deps, store, engine, notices, meter, clock, config, swap }: ActionsDeps): DaemonActions {
  let refusal: ConfigView["failed_reload"] = null;
  let loadedAtMs = clock.now();
  /** The last configuration was refused for the state's sake alone. */
  let isOwed = false;
  let underWay: Promise<unknown> = Promise.resolve();
  let queued: Promise<ReloadOutcome> | undefined;

  const refuse = async (errors: readonly string[]): Promise<ReloadOutcome> => {
    refusal = { at: isoTime(clock.now()), errors };
    meter.count("chirpwatch_reloads_total", { outcome: "refused" });
    deps.log.error("reload refused, the old configuration stays in force", { errors });
    const message = `The new configuration was refused and the old one stays in force: ${errors[0] ?? ""}`;
    await notices.tell({
      type: "config.refused",
      subject: "config",
      severity: "warning",
      message,
      hint: "chirpwatch validate shows every error.",
      facts: { errors: errors.length },
    });
    return { ok: false, errors };
  };

  const reload = async (): Promise<ReloadOutcome> => {
    isOwed = false;
    const loaded = await deps.load();
    if (!loaded.ok) return refuse(loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue));
    const fixed = needsRestart(config(), loaded.config);
    if (fixed.length > 0) return refuse(fixed);
    try {
      await swap(loaded.config);
    } catch (error) {
      isOwed = error instanceof StoreError;
      return refuse([errorText(error)]);
    }
    refusal = null;
    meter.count("chirpwatch_reloads_total", { outcome: "ok" });
    loadedAtMs = clock.now();
    deps.log.info("configuration reloaded", { watches: loaded.config.watches.length });
    return { ok: true };
  };

  // One after the other: the one under way may have read the files before they were changed. Those who ask meanwhile share the next.
  const reloadNext = (): Promise<ReloadOutcome> => {
    queued ??= underWay.then(() => {
      queued = undefined;
      const run = reload();
      underWay = run.catch(() => undefined);
      return run;
    });
    return queued;
  };

  return {
    reload: reloadNext,
    storeRecovered() {
      if (isOwed) reloadNext().catch((error: unknown) => deps.log.error("reload failed", { error }));
    },
    async setPaused(watchId, paused) {
      const isKnown = await setWatchPaused(store, clock, watchId, paused);
      if (isKnown) await engine.setPaused(watchId, paused);
      return isKnown;
    },
    lastRefusal: () => refusal,
    loadedAtMs: () => loadedAtMs,
  };
}

/** What a running daemon cannot change, said in words. */
function needsRestart(old: Config, next: Config): readonly string[] {
  const fixed: string[] = [];
  if (old.state.path !== next.state.path) fixed.push("state.path changed: restart the daemon for that");
  if (old.api.baseUrl !== next.api.baseUrl) fixed.push("api.base_url changed: restart the daemon for that");
  if (old.server.host !== next.server.host || old.server.port !== next.server.port)
    fixed.push("server.listen changed: restart the daemon for that");
  if (old.server.token !== next.server.token) fixed.push("server.token changed: restart the daemon for that");
  return fixed;
}

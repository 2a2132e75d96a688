/** Takes a changed configuration over while the daemon runs: all or nothing, one after the other, and logs who asked and what changed. */
import type { Config } from "../../config/config.ts";
import { isUnchanged } from "../../config/read-log.ts";
import { formatIssue } from "../../config/report.ts";
import type { Notices } from "../../model/notices.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Meter } from "../../model/meter.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { StoreError } from "../../model/store-error.ts";
import type { ConfigView, ReloadOutcome } from "../../server/words/views.ts";
import { changeFields, compareConfigs, type ConfigChanges } from "../changes/config-changes.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import { type MemoryChange, memoryChanges, memoryText } from "../changes/memory-changes.ts";

export interface ReloadDeps {
  readonly deps: Pick<DaemonDeps, "load" | "files" | "log" | "hash">;
  /** As the state knows the watches. */
  readonly states: () => Promise<readonly WatchState[]>;
  readonly notices: Notices;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly config: () => Config;
  /** Makes a checked configuration the active one. */
  readonly swap: (next: Config, changes: ConfigChanges) => Promise<void>;
  /** What a reload does even when nothing changed: whoever asks has perhaps just repaired a sink or paid for a key. */
  readonly renew: () => Promise<void>;
}

export interface Reloader {
  /** `askedBy` is for the log: `SIGHUP`, `file change`. Never rejects for a bad file. */
  reload(askedBy: string): Promise<ReloadOutcome>;
  readonly lastRefusal: () => ConfigView["failed_reload"];
  readonly loadedAtMs: () => number;
  /** The state can be written again: a configuration that it could not take is loaded once more. */
  storeRecovered(): void;
}

export function createReloader({ deps, notices, clock, meter, states, config, swap, renew }: ReloadDeps): Reloader {
  const { log } = deps;
  let refusal: ConfigView["failed_reload"] = null;
  let loadedAtMs = clock.now();
  /** The last configuration was refused for the state's sake alone. */
  let isOwed = false;
  let underWay: Promise<unknown> = Promise.resolve();
  let queued: { readonly askers: Set<string>; readonly outcome: Promise<ReloadOutcome> } | undefined;

  const refuse = async (errors: readonly string[], askedBy: string): Promise<ReloadOutcome> => {
    refusal = { at: isoTime(clock.now()), errors };
    meter.count("chirpwatch_reloads_total", { outcome: "refused" });
    log.error("reload refused, the old configuration stays active", { asked_by: askedBy, errors });
    const message = `The new configuration was refused and the old one stays active: ${errors[0] ?? ""}`;
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

  const accept = (changed: boolean, memory: readonly MemoryChange[]): ReloadOutcome => {
    refusal = null;
    meter.count("chirpwatch_reloads_total", { outcome: "ok" });
    loadedAtMs = clock.now();
    return { ok: true, changed, memory };
  };

  const reload = async (askedBy: string): Promise<ReloadOutcome> => {
    isOwed = false;
    const before = config();
    if (await isUnchanged(before.reads, deps.files)) {
      await renew();
      log.info("configuration unchanged", { asked_by: askedBy, watches: before.watches.length });
      return accept(false, []);
    }
    const loaded = await deps.load();
    if (!loaded.ok) return refuse(loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue), askedBy);
    const fixed = needsRestart(before, loaded.config);
    if (fixed.length > 0) return refuse(fixed, askedBy);
    const changes = compareConfigs(before, loaded.config);
    let memory: readonly MemoryChange[];
    try {
      memory = memoryChanges(before, loaded.config, { hash: deps.hash, states: await states() });
      await swap(loaded.config, changes);
    } catch (error) {
      isOwed = error instanceof StoreError;
      return refuse([errorText(error)], askedBy);
    }
    log.info("configuration reloaded", {
      asked_by: askedBy,
      watches: loaded.config.watches.length,
      ...changeFields(changes, memory.map(memoryText)),
    });
    return accept(true, memory);
  };

  // One after the other: the one under way may have read the files before they were changed. Those who ask meanwhile share the next.
  const reloadNext = (askedBy: string): Promise<ReloadOutcome> => {
    if (queued === undefined) {
      const askers = new Set<string>();
      const outcome = underWay.then(() => {
        queued = undefined;
        const run = reload([...askers].join(", "));
        underWay = run.catch(() => undefined);
        return run;
      });
      queued = { askers, outcome };
    }
    queued.askers.add(askedBy);
    return queued.outcome;
  };

  return {
    reload: reloadNext,
    storeRecovered() {
      if (isOwed) reloadNext("recovered state").catch((error: unknown) => log.error("reload failed", { error }));
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
  if (old.server.publicUrl !== next.server.publicUrl) fixed.push("server.public_url changed: restart the daemon for that");
  if (old.server.token !== next.server.token) fixed.push("server.token changed: restart the daemon for that");
  return fixed;
}

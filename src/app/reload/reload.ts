/**
 * Applies a changed configuration while the daemon runs, completely or not at all. Reloads run one
 * after the other. Logs who asked for a reload and what changed.
 */
import type { Config } from "../../config/config.ts";
import { isUnchanged } from "../../config/read-log.ts";
import { formatIssue } from "../../config/report.ts";
import type { OpsAlerts } from "../../model/ops-alerts.ts";
import { type Clock, isoTime } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Meter } from "../../model/meter.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { StoreError } from "../../model/store-error.ts";
import { yieldAfter } from "../../model/steps.ts";
import type { ReloadOutcome } from "../../server/contract/actions.ts";
import type { ConfigView } from "../../server/schema/status-view.ts";
import {
  changeFields,
  compareConfigs,
  type ConfigChanges,
  shorten,
} from "../../operate/changes/config-changes.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { Revisions } from "../fleet/revisions.ts";
import {
  type MemoryChange,
  memoryChanges,
  memoryText,
} from "../../operate/changes/memory-changes.ts";
import { sendsText } from "../../operate/changes/sent-changes.ts";

export interface ReloadDeps {
  readonly deps: Pick<DaemonDeps, "load" | "files" | "log" | "hash">;
  /** Returns the stored states of the watches. */
  readonly states: () => Promise<readonly WatchState[]>;
  readonly opsAlerts: OpsAlerts;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly config: () => Config;
  readonly revisions: Pick<Revisions, "refusalOf" | "propose">;
  /** Called when the state could not be read or written. */
  readonly onStoreError: (error: unknown) => void;
  /** Makes a checked configuration the active one. */
  readonly swap: (next: Config, changes: ConfigChanges) => Promise<void>;
  /**
   * Called by every reload, even if nothing has changed, because an operator who reloads may just
   * have repaired a sink or paid for a key.
   */
  readonly renew: () => Promise<void>;
}

export interface Reloader {
  /**
   * Reloads the configuration. `askedBy` is for the log, for example `SIGHUP` or `file change`.
   * Never rejects because of a bad file.
   */
  reload(askedBy: string): Promise<ReloadOutcome>;
  readonly lastRefusal: () => ConfigView["failed_reload"];
  /** Returns the last reload that changed something; null if there was none. */
  readonly lastReload: () => ConfigView["last_reload"];
  readonly loadedAtMs: () => number;
  /**
   * Called when the state can be written again: a configuration that it could not store is loaded
   * once more.
   */
  storeRecovered(): void;
}

/**
 * Replicas read changed files at about the same time. Refusals for the same reason within this time
 * raise a single alert.
 */
const REFUSED_BY_ALL_MS = 10_000;

export function createReloader(deps: ReloadDeps): Reloader {
  const reloads = new Reloads(deps);
  return {
    reload: (askedBy) => reloads.next(askedBy),
    storeRecovered: () => reloads.storeRecovered(),
    lastRefusal: () => reloads.refusal,
    lastReload: () => reloads.last,
    loadedAtMs: () => reloads.loadedAtMs,
  };
}

class Reloads {
  refusal: ConfigView["failed_reload"] = null;
  last: ConfigView["last_reload"] = null;
  loadedAtMs: number;
  readonly #deps: ReloadDeps;
  /**
   * Whether the last configuration could not be applied or recorded, only because the state could
   * not be read or written.
   */
  #isPending = false;
  #underWay: Promise<unknown> = Promise.resolve();
  #queued: { readonly askers: Set<string>; readonly outcome: Promise<ReloadOutcome> } | undefined;

  constructor(deps: ReloadDeps) {
    this.#deps = deps;
    this.loadedAtMs = deps.clock.now();
  }

  /**
   * Makes another reload after the one that is running, because that one may have read the files
   * before they changed. All requests that come meanwhile share this next reload.
   */
  next(askedBy: string): Promise<ReloadOutcome> {
    if (this.#queued === undefined) {
      const askers = new Set<string>();
      const outcome = this.#underWay.then(() => {
        this.#queued = undefined;
        const run = this.#reload([...askers].join(", "));
        this.#underWay = run.catch(() => undefined);
        return run;
      });
      this.#queued = { askers, outcome };
    }
    this.#queued.askers.add(askedBy);
    return this.#queued.outcome;
  }

  storeRecovered(): void {
    const { log } = this.#deps.deps;
    // A reload that is running may have used the state before it recovered, and may still be
    // refused for that reason.
    void this.#underWay.then(() => {
      if (this.#isPending)
        this.next("recovered state").catch((error: unknown) =>
          log.error("reload failed", { error }),
        );
    });
  }

  async #reload(askedBy: string): Promise<ReloadOutcome> {
    this.#isPending = false;
    try {
      return await this.#readAgain(askedBy);
    } catch (error) {
      this.#isPending = error instanceof StoreError;
      return this.#isPending
        ? this.#postpone(error, askedBy)
        : this.#refuse([errorText(error)], askedBy);
    }
  }

  /**
   * Postpones a reload because the state cannot be used, which is reported separately. The
   * configuration is not at fault, and is loaded again when the state works.
   */
  async #postpone(error: unknown, askedBy: string): Promise<ReloadOutcome> {
    const { clock, meter, config, onStoreError } = this.#deps;
    const { files, log } = this.#deps.deps;
    const errors = [errorText(error)];
    meter.count("chirpwatch_reloads_total", { outcome: "refused" });
    log.warn("the configuration will be read again when the state works", {
      asked_by: askedBy,
      errors,
    });
    if (!(await isUnchanged(config().reads, files)))
      this.refusal = { at: isoTime(clock.now()), errors };
    onStoreError(error);
    return { ok: false, errors };
  }

  async #readAgain(askedBy: string): Promise<ReloadOutcome> {
    const { config, renew } = this.#deps;
    const { files, log, load } = this.#deps.deps;
    const before = config();
    if (await isUnchanged(before.reads, files)) {
      await renew();
      await this.#propose(before);
      log.info("configuration unchanged", { asked_by: askedBy, watches: before.watches.length });
      return this.#accept(false, []);
    }
    const loaded = await load();
    if (!loaded.ok)
      return this.#refuse(
        loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue),
        askedBy,
      );
    const fixed = needsRestart(before, loaded.config);
    return fixed.length > 0
      ? this.#refuse(fixed, askedBy)
      : this.#activate(before, loaded.config, askedBy);
  }

  /**
   * Records the configuration, which is already active. If the state cannot store it, it is
   * recorded once the state works again.
   */
  async #propose(config: Config): Promise<void> {
    await this.#deps.revisions.propose(config, "reload").catch((error: unknown) => {
      this.#isPending = error instanceof StoreError;
      this.#deps.deps.log.error("the new configuration could not be recorded", { error });
    });
  }

  async #activate(before: Config, next: Config, askedBy: string): Promise<ReloadOutcome> {
    const { states, swap } = this.#deps;
    const { hash, log } = this.#deps.deps;
    await yieldAfter(next.watches);
    const changes = compareConfigs(before, next);
    await yieldAfter(next.watches);
    const superseded = await this.#deps.revisions.refusalOf(next);
    if (superseded !== undefined) return this.#refuse([superseded], askedBy);
    const memory = memoryChanges(before, next, { hash, states: await states() });
    await swap(next, changes);
    await this.#propose(next);
    const counts = { asked_by: askedBy, watches: next.watches.length };
    const [effects, sends] = [memory.map(memoryText), memory.flatMap(sendsText)];
    log.info("configuration reloaded", { ...counts, ...changeFields(changes, effects, sends) });
    this.last = {
      at: isoTime(this.#deps.clock.now()),
      asked_by: askedBy,
      memory: shorten(effects),
      sends: shorten(sends),
    };
    return this.#accept(true, memory);
  }

  async #refuse(errors: readonly string[], askedBy: string): Promise<ReloadOutcome> {
    const { clock, meter, opsAlerts } = this.#deps;
    this.refusal = { at: isoTime(clock.now()), errors };
    meter.count("chirpwatch_reloads_total", { outcome: "refused" });
    this.#deps.deps.log.error("reload refused, the old configuration stays active", {
      asked_by: askedBy,
      errors,
    });
    const message = `The new configuration was refused and the old one stays active: ${errors[0] ?? ""}`;
    await opsAlerts.raise({
      once: { key: "config.refused", about: message, endsAtMs: clock.now() + REFUSED_BY_ALL_MS },
      type: "config.refused",
      subject: "config",
      severity: "warning",
      message,
      hint: "chirpwatch validate shows every error.",
      facts: { errors: errors.length },
    });
    return { ok: false, errors };
  }

  #accept(changed: boolean, memory: readonly MemoryChange[]): ReloadOutcome {
    this.refusal = null;
    this.#deps.meter.count("chirpwatch_reloads_total", { outcome: "ok" });
    this.loadedAtMs = this.#deps.clock.now();
    return { ok: true, changed, memory };
  }
}

/** Returns the changes that need a restart, as sentences. */
function needsRestart(old: Config, next: Config): readonly string[] {
  const fixed: string[] = [];
  if (JSON.stringify(old.state.postgres) !== JSON.stringify(next.state.postgres))
    fixed.push("state.url changed: restart the daemon to apply it");
  else if (old.state.path !== next.state.path)
    fixed.push("state.path changed: restart the daemon to apply it");
  if (old.api.baseUrl !== next.api.baseUrl)
    fixed.push("api.base_url changed: restart the daemon to apply it");
  if (old.server.host !== next.server.host || old.server.port !== next.server.port)
    fixed.push("server.listen changed: restart the daemon to apply it");
  if (old.server.publicUrl !== next.server.publicUrl)
    fixed.push("server.public_url changed: restart the daemon to apply it");
  if (old.server.token !== next.server.token)
    fixed.push("server.token changed: restart the daemon to apply it");
  if (old.server.readToken !== next.server.readToken)
    fixed.push("server.read_token changed: restart the daemon to apply it");
  return fixed;
}

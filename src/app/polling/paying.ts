/** Who pays for requests and how much is left: the keys, the quota's pace, and the comparison with the service's own count. */
import { createKeyRing } from "../../budget/key-ring.ts";
import { quotaPeriod } from "../../budget/quota-period.ts";
import { createKeyWatch, type KeyWatch } from "../../engine/quota/key-watch.ts";
import { createQuotaAudit, type QuotaAudit } from "../../engine/quota/quota-audit.ts";
import { createQuotaAlerts } from "../../engine/quota/quota-alerts.ts";
import { createQuotaWatch, type QuotaSettings, type QuotaWatch } from "../../engine/quota/quota-watch.ts";
import { type KeyQuota, limitOfKey } from "../../engine/quota/total-quota.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import type { GateDeps } from "../../requests/request-gate.ts";
import type { GateLimits, EligibleKeys } from "../../requests/reservation.ts";
import { errorText } from "../../model/errors.ts";
import type { Meter } from "../../model/meter.ts";
import type { Store } from "../../model/store.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createKeyHolder, type KeyHolder, eligibleKeysOf } from "./key-holder.ts";

export interface Paying {
  /** The key of a name, as the data service wants it. */
  readonly key: (name?: string) => string;
  readonly keyWatch: KeyWatch;
  readonly quotaWatch: QuotaWatch;
  readonly quotaAudit: QuotaAudit;
  /** The active keys, with what each may spend. */
  readonly keyQuotas: () => readonly KeyQuota[];
  /** What the gate to the data service asks before it sends anything. */
  readonly gateDeps: Pick<GateDeps, "limits" | "renewKey" | "keys" | "pages" | "onReserved">;
  /** Whether the service would answer again after it refused the only key, or all of them. */
  probe(): Promise<boolean>;
  /** Takes over the keys of the active configuration, and asks what they have left: whoever reloads may have paid for more. */
  setKeys(): void;
  start(): Promise<void>;
  stop(): void;
}

export interface PayingParts {
  readonly delivering: Delivering;
  readonly store: Store;
  readonly meter: Meter;
  readonly timetable: Timetable;
  readonly deps: DaemonDeps;
  /** What the service says a key has left. @throws UpstreamError */
  readonly remaining: (key: string) => Promise<unknown>;
  /** Those planned now. */
  readonly polls: () => readonly Poll[];
  /** Called when polls go faster or slower than a moment ago. */
  readonly onPaceChanged: () => void;
}

export const createPaying = (parts: PayingParts): Paying => new KeysAndQuota(parts);

class KeysAndQuota implements Paying {
  readonly keyWatch: KeyWatch;
  readonly quotaAudit: QuotaAudit;
  readonly quotaWatch: QuotaWatch;
  readonly gateDeps: Paying["gateDeps"];
  readonly #parts: PayingParts;
  readonly #holder: KeyHolder;

  constructor(parts: PayingParts) {
    this.#parts = parts;
    this.#holder = createKeyHolder(parts.delivering.config().api, parts.deps);
    this.keyWatch = this.#newKeyWatch();
    this.quotaAudit = this.#newAudit();
    this.quotaWatch = this.#newQuotaWatch();
    this.gateDeps = {
      limits: () => this.#limits(),
      renewKey: () => this.#renew(),
      keys: {
        eligible: () => this.#eligible(),
        refused: (key, error, sentAtMs) => this.keyWatch.refused(key, error, sentAtMs),
        paid: (key, sentAtMs, failedWith) => this.keyWatch.paid(key, sentAtMs, failedWith),
      },
      pages: this.quotaWatch.pages,
      onReserved: (kind) => {
        if (kind === "granted") this.quotaWatch.granted();
        if (kind === "quota") this.quotaAudit.spent();
      },
    };
  }

  readonly key = (name?: string): string => this.#holder.key(name);

  readonly keyQuotas = (): readonly KeyQuota[] => {
    const usable = new Set(this.keyWatch.usable());
    return this.#holder.held.map(({ name, monthly }) => ({
      name,
      limit: limitOfKey(monthly, this.quotaAudit.limitOf(name)),
      isUsable: usable.has(name),
    }));
  };

  probe(): Promise<boolean> {
    const { held } = this.#holder;
    return held.length < 2 ? this.#ask(held[0].name) : this.keyWatch.probe();
  }

  setKeys(): void {
    this.#holder.set(this.#parts.delivering.config().api);
    this.keyWatch.reset();
    void this.quotaAudit.check();
  }

  async start(): Promise<void> {
    const { deps, polls } = this.#parts;
    await this.keyWatch.start();
    await this.quotaAudit.start();
    await this.quotaWatch
      .refresh(polls())
      .catch((error: unknown) => deps.log.warn("quota could not be computed", { error: errorText(error) }));
    this.quotaWatch.start();
  }

  stop(): void {
    this.quotaWatch.stop();
    this.quotaAudit.stop();
    this.keyWatch.stop();
  }

  #newKeyWatch(): KeyWatch {
    const { delivering, store, meter, deps } = this.#parts;
    const { clock, log } = deps;
    return createKeyWatch({
      ring: createKeyRing(),
      keys: () => this.#holder.held.map(({ name }) => name),
      renew: (key) => this.#renew(key),
      ask: (key) => this.#ask(key),
      opsAlerts: delivering.opsAlerts,
      notes: store,
      clock,
      log,
      meter,
    });
  }

  #newAudit(): QuotaAudit {
    const { delivering, store, meter, deps, remaining, polls } = this.#parts;
    const { clock, log } = deps;
    return createQuotaAudit({
      ledger: store,
      notes: store,
      opsAlerts: delivering.opsAlerts,
      clock,
      log,
      meter,
      keys: () => this.keyWatch.usable(),
      fingerprint: (key) => this.#holder.held.find(({ name }) => name === key)?.fingerprint ?? "",
      remaining: (key) => remaining(key).catch((error: unknown) => this.#suspend(key, error)),
      period: () => quotaPeriod(clock.now(), this.#settings()),
      retentionMs: () => delivering.config().state.retentionMs,
      onChecked: () => this.quotaWatch.refresh(polls()),
    });
  }

  #newQuotaWatch(): QuotaWatch {
    const { delivering, store, meter, timetable, deps, polls, onPaceChanged } = this.#parts;
    const { clock, log } = deps;
    const settings = () => this.#settings();
    const quotaAlerts = createQuotaAlerts({ clock, opsAlerts: delivering.opsAlerts, notes: store, settings });
    return createQuotaWatch({
      ledger: store,
      notes: store,
      clock,
      timetable,
      meter,
      log,
      settings,
      keys: this.keyQuotas,
      polls,
      states: () => store.listWatches(),
      onRefreshed: quotaAlerts.take,
      onPaceChanged,
    });
  }

  #settings(): QuotaSettings {
    const { quota } = this.#parts.delivering.config().api;
    return { ...quota, monthly: quota.monthly };
  }

  #limits(): GateLimits {
    const { rate, timeoutMs, quota } = this.#parts.delivering.config().api;
    // Each of several keys has a limit of its own. What all may spend together is as old as the last read of the ledger, and would be too
    // little by what a key has spent since then that is suspended.
    if (this.#holder.held.length > 1) return { rate, timeoutMs, quota: this.#settings() };
    return { rate, timeoutMs, quota: { ...quota, monthly: this.quotaWatch.limit, reserveOfAll: this.quotaWatch.reserve } };
  }

  #eligible(): EligibleKeys {
    return eligibleKeysOf(
      this.#holder.held,
      this.keyQuotas().filter(({ isUsable }) => isUsable),
    );
  }

  #ask(key: string): Promise<boolean> {
    return this.#parts.remaining(key).then(
      (left) => left !== 0,
      () => false,
    );
  }

  /** Another key has another quota: the service is asked at once. */
  async #renew(key?: string): Promise<boolean> {
    const isOther = await this.#holder.renew(key);
    if (isOther) void this.quotaAudit.check();
    return isOther;
  }

  /** A key the service does not even give its usage to pays for nothing either. */
  async #suspend(key: string, error: unknown): Promise<never> {
    if (error instanceof UpstreamError && (error.kind === "unauthorized" || error.kind === "billing"))
      await this.keyWatch.refused(key, error, this.#parts.deps.clock.monotonic());
    throw error;
  }
}

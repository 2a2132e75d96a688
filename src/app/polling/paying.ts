/**
 * The keys that are used for requests, how much of their quota is left, and the pace of polls that
 * follows from it. auditing.ts has the parts that make requests to the service.
 */
import { createKeyRing } from "../../budget/key-ring.ts";
import { quotaPeriod } from "../../budget/quota-period.ts";
import { KeyMonitor } from "../../engine/quota/key-monitor.ts";
import { KeyRefusals } from "../../engine/quota/key-refusals.ts";
import { AuditReadings } from "../../engine/quota/audit-readings.ts";
import { alertQuota } from "../../engine/quota/quota-alerts.ts";
import { QuotaMonitor, type QuotaSettings } from "../../engine/quota/quota-monitor.ts";
import { type KeyQuota, limitOfKey } from "../../engine/quota/total-quota.ts";
import type { PlannedPolls } from "../../engine/planned-polls.ts";
import type { GateDeps } from "../../requests/request-gate.ts";
import type { GateLimits, EligibleKeys } from "../../requests/reservation.ts";
import { errorText } from "../../model/errors.ts";
import type { Meter } from "../../model/meter.ts";
import type { Share } from "../../model/replicas.ts";
import type { Store } from "../../model/store.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createKeyHolder, type KeyHolder, eligibleKeysOf } from "../../operate/key-holder.ts";

export interface Paying {
  readonly holder: KeyHolder;
  readonly keyMonitor: KeyMonitor;
  readonly keyRefusals: Pick<KeyRefusals, "answered">;
  readonly quotaMonitor: QuotaMonitor;
  readonly auditReadings: AuditReadings;
  /** Returns the active keys, with the limit and the spent requests of each. */
  readonly keyQuotas: () => readonly KeyQuota[];
  /** Reads the ledger and sets the pace of the planned polls. */
  readonly refreshQuota: () => Promise<void>;
  /** The parts that the gate to the data service uses before it sends a request. */
  readonly gateDeps: Pick<GateDeps, "limits" | "renewKey" | "keys" | "pages" | "onReserved">;
  /**
   * Starts to use the keys of the active configuration and asks the service how many requests they
   * have left, because an operator who reloads may have bought more requests.
   */
  setKeys(): void;
  start(): Promise<void>;
  stop(): void;
}

export interface PayingParts {
  readonly delivering: Delivering;
  readonly store: Store;
  readonly meter: Meter;
  readonly timetable: Timetable;
  readonly polls: PlannedPolls;
  readonly events: DaemonEvents;
  readonly share: Share;
  readonly deps: DaemonDeps;
}

export const createPaying = (parts: PayingParts): Paying => new KeysAndQuota(parts);

class KeysAndQuota implements Paying {
  readonly holder: KeyHolder;
  readonly auditReadings: AuditReadings;
  readonly keyMonitor: KeyMonitor;
  readonly keyRefusals: KeyRefusals;
  readonly quotaMonitor: QuotaMonitor;
  readonly gateDeps: Paying["gateDeps"];
  readonly #parts: PayingParts;

  constructor(parts: PayingParts) {
    const { delivering, events, deps } = parts;
    this.#parts = parts;
    this.holder = createKeyHolder(delivering.config().api, deps);
    this.auditReadings = new AuditReadings(() => quotaPeriod(deps.clock.now(), this.#settings()));
    this.keyMonitor = this.#newKeyMonitor();
    this.keyRefusals = this.#newKeyRefusals();
    this.quotaMonitor = this.#newQuotaMonitor();
    this.gateDeps = {
      limits: () => this.#limits(),
      renewKey: () => this.#renew(),
      keys: {
        eligible: () => this.#eligible(),
        refused: (key, error, sentAtMs) => {
          this.keyRefusals.refused(key, error);
          return this.keyMonitor.refused(key, error, sentAtMs);
        },
        paid: (key, sentAtMs, failedWith) => {
          this.keyRefusals.accepted(key);
          this.keyMonitor.paid(key, sentAtMs, failedWith);
        },
      },
      pages: this.quotaMonitor.pages,
      onReserved: (kind) => {
        if (kind === "granted") this.quotaMonitor.granted();
        if (kind === "quota") events.emit("quotaSpent");
      },
    };
  }

  readonly keyQuotas = (): readonly KeyQuota[] => {
    const usable = new Set(this.keyMonitor.usable());
    return this.holder.held.map(({ name, monthly }) => ({
      name,
      limit: limitOfKey(monthly, this.auditReadings.limitOf(name)),
      isUsable: usable.has(name),
    }));
  };

  readonly refreshQuota = (): Promise<void> => this.quotaMonitor.refresh(this.#parts.polls.all);

  setKeys(): void {
    const { delivering, events } = this.#parts;
    this.holder.set(delivering.config().api);
    this.keyMonitor.reset();
    events.emit("keysChanged");
  }

  async start(): Promise<void> {
    const { deps, share } = this.#parts;
    const { log } = deps;
    if (!share.isAlone) await this.keyRefusals.start();
    await this.refreshQuota().catch((error: unknown) =>
      log.warn("quota could not be computed", { error: errorText(error) }),
    );
    this.quotaMonitor.start();
  }

  stop(): void {
    this.keyRefusals.stop();
    this.quotaMonitor.stop();
  }

  #newKeyMonitor(): KeyMonitor {
    const { delivering, meter, deps } = this.#parts;
    const { clock, log } = deps;
    return new KeyMonitor({
      ring: createKeyRing(),
      keys: () => this.holder.held.map(({ name }) => name),
      renew: (key) => this.#renew(key),
      opsAlerts: delivering.opsAlerts,
      clock,
      log,
      meter,
    });
  }

  #newKeyRefusals(): KeyRefusals {
    const { store, events, deps } = this.#parts;
    const { clock, log } = deps;
    return new KeyRefusals({
      ...{ notes: store, clock, log },
      keys: () => this.holder.held,
      onRefused: (key, error) => events.emit("keyRefusedElsewhere", key, error),
      onTaken: (key) => events.emit("keyTakenElsewhere", key),
    });
  }

  #newQuotaMonitor(): QuotaMonitor {
    const { delivering, store, meter, timetable, polls, events, share, deps } = this.#parts;
    const { clock, log } = deps;
    const settings = () => this.#settings();
    const { opsAlerts } = delivering;
    return new QuotaMonitor({
      ledger: store,
      learned: store,
      notes: store,
      clock,
      timetable,
      meter,
      log,
      settings,
      keys: this.keyQuotas,
      polls: () => polls.all,
      share,
      states: (ids) => store.listWatches(ids),
      onRefreshed: (status) => alertQuota({ clock, opsAlerts, settings }, status),
      onPaceChanged: () => events.emit("paceChanged"),
    });
  }

  #settings(): QuotaSettings {
    const { quota } = this.#parts.delivering.config().api;
    return { ...quota, monthly: quota.monthly };
  }

  #limits(): GateLimits {
    const { rate, timeoutMs, quota } = this.#parts.delivering.config().api;
    // If there are several keys, each is checked against its own limit. The limit of all keys
    // together is not used: it is only as recent as the last read of the ledger, and too low by the
    // requests that a suspended key has made since then.
    if (this.holder.held.length > 1) return { rate, timeoutMs, quota: this.#settings() };
    return {
      rate,
      timeoutMs,
      quota: {
        ...quota,
        monthly: this.quotaMonitor.limit,
        reserveOfAll: this.quotaMonitor.reserve,
      },
    };
  }

  #eligible(): EligibleKeys {
    return eligibleKeysOf(
      this.holder.held,
      this.keyQuotas().filter(({ isUsable }) => isUsable),
    );
  }

  async #renew(key?: string): Promise<boolean> {
    const isOther = await this.holder.renew(key);
    if (isOther) this.#parts.events.emit("keysChanged");
    return isOther;
  }
}

/**
 * Asks the data service how many requests the keys have left, for the audit, and to find out
 * whether a refused key is accepted again.
 */
import { QuotaAudit } from "../../engine/quota/quota-audit.ts";
import type { Meter } from "../../model/meter.ts";
import type { Share } from "../../model/replicas.ts";
import type { Store } from "../../model/store.ts";
import { askRemaining } from "../../requests/remaining-requests.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { DaemonEvents } from "../daemon/daemon-events.ts";
import type { Delivering } from "../delivering/delivering.ts";
import type { Paying } from "./paying.ts";

export interface Auditing {
  readonly quotaAudit: Pick<QuotaAudit, "check" | "spent">;
  /**
   * Returns whether the service would answer billed requests again, after it refused the only key
   * or all keys.
   */
  probe(): Promise<boolean>;
  start(): Promise<void>;
  stop(): void;
}

export interface AuditingParts {
  readonly paying: Paying;
  readonly gate: RequestGate;
  readonly delivering: Delivering;
  readonly store: Store;
  readonly meter: Meter;
  readonly events: Pick<DaemonEvents, "emit">;
  readonly deps: DaemonDeps;
  readonly share: Share;
}

export const createAuditing = (parts: AuditingParts): Auditing => new KeyQuestions(parts);

class KeyQuestions implements Auditing {
  readonly quotaAudit: QuotaAudit;
  readonly #parts: AuditingParts;

  constructor(parts: AuditingParts) {
    this.#parts = parts;
    this.quotaAudit = this.#newAudit();
  }

  readonly #ask = (key: string): Promise<boolean> =>
    askRemaining(this.#parts.gate, key).then(
      (left) => left !== 0,
      () => false,
    );

  probe(): Promise<boolean> {
    const { holder, keyMonitor } = this.#parts.paying;
    return holder.held.length < 2 ? this.#ask(holder.held[0].name) : keyMonitor.probe(this.#ask);
  }

  async start(): Promise<void> {
    await this.#parts.paying.keyMonitor.start(this.#ask);
    await this.quotaAudit.start();
  }

  stop(): void {
    this.quotaAudit.stop();
    this.#parts.paying.keyMonitor.stop();
  }

  #newAudit(): QuotaAudit {
    const { paying, gate, delivering, store, meter, events, deps, share } = this.#parts;
    const { holder, keyMonitor, auditReadings: readings, refreshQuota } = paying;
    const { clock, log } = deps;
    return new QuotaAudit({
      readings,
      ledger: store,
      notes: store,
      opsAlerts: delivering.opsAlerts,
      share,
      clock,
      log,
      meter,
      keys: () => keyMonitor.usable(),
      fingerprint: (key) => holder.held.find(({ name }) => name === key)?.fingerprint ?? "",
      remaining: async (key) => {
        const left = await askRemaining(gate, key);
        events.emit("keyAnswered", key);
        return left;
      },
      retentionMs: () => delivering.config().state.retentionMs,
      onChecked: refreshQuota,
    });
  }
}

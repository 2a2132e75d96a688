/** Who pays for requests and how much is left: the keys, the quota's pace, and the comparison with the service's own count. */
import { createKeyRing } from "../../budget/key-ring.ts";
import { quotaPeriod } from "../../budget/quota-period.ts";
import type { Engine } from "../../engine/engine.ts";
import { createKeyWatch, type KeyWatch } from "../../engine/quota/key-watch.ts";
import { createQuotaAudit, type QuotaAudit } from "../../engine/quota/quota-audit.ts";
import { createQuotaNotices } from "../../engine/quota/quota-notices.ts";
import { createQuotaWatch, type QuotaWatch } from "../../engine/quota/quota-watch.ts";
import { type KeyQuota, limitOfKey } from "../../engine/quota/total-quota.ts";
import { askRemaining } from "../../requests/remaining-requests.ts";
import type { GateDeps, RequestGate } from "../../requests/request-gate.ts";
import { errorText } from "../../model/errors.ts";
import type { Meter } from "../../model/meter.ts";
import type { Store } from "../../model/store.ts";
import { UpstreamError } from "../../model/upstream.ts";
import type { Timetable } from "../../schedule/timetable.ts";
import type { DaemonDeps } from "../daemon/daemon-deps.ts";
import type { Delivering } from "../delivering/delivering.ts";
import { createKeyHolder, offersOf } from "./key-holder.ts";

export interface Paying {
  /** The key of a name, as the data service wants it. */
  readonly key: (name?: string) => string;
  readonly keyWatch: KeyWatch;
  readonly quotaWatch: QuotaWatch;
  readonly quotaAudit: QuotaAudit;
  /** The keys in force, with what each may spend. */
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
  readonly gate: () => RequestGate;
  readonly engine: () => Engine;
}

export function createPaying({ delivering, store, meter, timetable, deps, gate, engine }: PayingParts): Paying {
  const { clock, log } = deps;
  const { config, notices } = delivering;
  const holder = createKeyHolder(config().api, deps);
  const names = () => holder.held.map(({ name }) => name);
  const settings = () => ({ ...config().api.quota, monthly: config().api.quota.monthly });

  const remaining = (key: string): Promise<unknown> => askRemaining(gate(), key);
  const ask = (key: string) =>
    remaining(key).then(
      (left) => left !== 0,
      () => false,
    );

  const ring = createKeyRing();
  /** Another key has another quota: the service is asked at once. */
  const renew = async (key?: string): Promise<boolean> => {
    const isOther = await holder.renew(key);
    if (isOther) void quotaAudit.check();
    return isOther;
  };
  const keyWatch = createKeyWatch({ ring, keys: names, renew, ask, notices, notes: store, clock, log, meter });
  /** A key the service does not even give its usage to pays for nothing either. */
  const leaveAside = async (key: string, error: unknown): Promise<never> => {
    if (error instanceof UpstreamError && (error.kind === "unauthorized" || error.kind === "billing"))
      await keyWatch.refused(key, error, clock.monotonic());
    throw error;
  };
  const quotaAudit: QuotaAudit = createQuotaAudit({
    ledger: store,
    notes: store,
    notices,
    clock,
    log,
    meter,
    keys: () => keyWatch.usable(),
    fingerprint: (key) => holder.held.find(({ name }) => name === key)?.fingerprint ?? "",
    remaining: (key) => remaining(key).catch((error: unknown) => leaveAside(key, error)),
    period: () => quotaPeriod(clock.now(), settings()),
    retentionMs: () => config().state.retentionMs,
    onChecked: () => quotaWatch.refresh(engine().polls),
  });
  const keyQuotas = (): readonly KeyQuota[] => {
    const usable = new Set(keyWatch.usable());
    return holder.held.map(({ name, monthly }) => ({
      name,
      limit: limitOfKey(monthly, quotaAudit.limitOf(name)),
      isUsable: usable.has(name),
    }));
  };
  const quotaNotices = createQuotaNotices({ clock, notices, notes: store, settings });
  const quotaWatch: QuotaWatch = createQuotaWatch({
    ledger: store,
    notes: store,
    clock,
    timetable,
    meter,
    log,
    settings,
    keys: keyQuotas,
    polls: () => engine().polls,
    states: () => store.listWatches(),
    onRefreshed: quotaNotices.take,
    onPaceChanged: () => engine().repace(),
  });

  const offers = () =>
    offersOf(
      holder.held,
      keyQuotas().filter(({ isUsable }) => isUsable),
    );

  return {
    key: holder.key,
    keyWatch,
    quotaWatch,
    quotaAudit,
    keyQuotas,
    gateDeps: {
      limits: () => {
        const { rate, timeoutMs, quota } = config().api;
        // Each of several keys has a line of its own. What all may spend together is as old as the last look at the ledger, and would be too
        // little by what a key has spent since then that is set aside.
        if (holder.held.length > 1) return { rate, timeoutMs, quota: settings() };
        return { rate, timeoutMs, quota: { ...quota, monthly: quotaWatch.limit, reserveOfAll: quotaWatch.reserve } };
      },
      renewKey: () => renew(),
      keys: {
        offers,
        refused: (key, error, sentAtMs) => keyWatch.refused(key, error, sentAtMs),
        paid: (key, sentAtMs, failedWith) => keyWatch.paid(key, sentAtMs, failedWith),
      },
      pages: quotaWatch.pages,
      onReserved(kind) {
        if (kind === "granted") quotaWatch.granted();
        if (kind === "quota") quotaAudit.spent();
      },
    },
    probe: () => (holder.held.length < 2 ? ask(holder.held[0].name) : keyWatch.probe()),
    setKeys() {
      holder.set(config().api);
      keyWatch.reset();
      void quotaAudit.check();
    },
    async start() {
      await keyWatch.start();
      await quotaAudit.start();
      await quotaWatch
        .refresh(engine().polls)
        .catch((error: unknown) => log.warn("quota could not be computed", { error: errorText(error) }));
      quotaWatch.start();
    },
    stop() {
      quotaWatch.stop();
      quotaAudit.stop();
      keyWatch.stop();
    },
  };
}

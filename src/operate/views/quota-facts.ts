/** Collects what a running daemon knows about its quota. */
import type { Config } from "../../config/config.ts";
import type { AuditReadings } from "../../engine/quota/audit-readings.ts";
import type { KeyMonitor } from "../../engine/quota/key-monitor.ts";
import type { QuotaFacts } from "./quota-view.ts";
import type { ScrapeDeps } from "./scrape.ts";

export interface QuotaParts extends Pick<ScrapeDeps, "quotaMonitor" | "keyQuotas"> {
  readonly auditReadings: AuditReadings;
  readonly keyMonitor: KeyMonitor;
  readonly config: () => Config;
}

export function quotaFacts({
  quotaMonitor,
  auditReadings,
  keyMonitor,
  keyQuotas,
  config,
}: QuotaParts): QuotaFacts {
  const { status } = quotaMonitor;
  const suspended = new Map(keyMonitor.suspended.map((one) => [one.key, one.because]));
  return {
    ...status,
    onExhausted: config().api.quota.onExhausted,
    monthly: config().api.quota.monthly,
    drift: auditReadings.driftRequests,
    keys: keyQuotas().map(({ name, limit }) => ({
      name,
      limit,
      spent: status.spentByKey.get(name) ?? 0,
      because: suspended.get(name),
    })),
  };
}

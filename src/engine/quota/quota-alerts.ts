/**
 * Alerts the operator once per period when the forecast exceeds the quota, and once when the quota
 * is spent. Takes all figures from the status.
 */
import { isoTime } from "../../model/clock.ts";
import { formatExact } from "../../render/text/numbers.ts";
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Condition } from "../../model/ops-alerts.ts";
import type { Ports } from "../../model/ports.ts";
import type { QuotaSettings, QuotaStatus } from "./quota-monitor.ts";

export interface QuotaAlertsDeps extends Pick<Ports, "clock" | "opsAlerts"> {
  readonly settings: () => Pick<QuotaSettings, "onExhausted" | "monthly">;
}

const MAX_NAMED = 5;
/**
 * A quota that is spent only in the last hour of its period was paced well, so nobody needs to act.
 */
const LAST_HOUR_MS = 3_600_000;

/** Raises the alerts that the status requires. Called after every read of the ledger. */
export async function alertQuota(
  { clock, opsAlerts, settings }: QuotaAlertsDeps,
  status: QuotaStatus,
): Promise<void> {
  const { limit, softLimit, spent, forecast, period } = status;
  if (limit === undefined || softLimit === undefined) return;
  const alert = { type: "quota.low", subject: "quota", facts: { spent, limit } };
  if (forecast > softLimit)
    await opsAlerts.raise({
      ...alert,
      once: oncePerPeriod("quota.short", period),
      severity: "warning",
      message: shortText(status, { ...settings(), limit, softLimit }),
      hint: "Slow a schedule down or raise the quota; chirpwatch plan shows what each watch costs.",
    });
  if (spent >= softLimit && period.endMs - clock.now() >= LAST_HOUR_MS)
    await opsAlerts.raise({
      ...alert,
      once: oncePerPeriod("quota.spent", period),
      severity: "critical",
      message: `The quota is spent: ${formatExact(spent)} of ${formatExact(limit)} requests. Polling stops until ${isoTime(period.endMs)}.`,
      hint: "Raise the quota or api.quota.monthly; what is missed until then is read when polling continues.",
    });
}

interface KnownLimits extends Pick<QuotaSettings, "onExhausted" | "monthly"> {
  readonly limit: number;
  readonly softLimit: number;
}

function shortText(
  status: QuotaStatus,
  { onExhausted, monthly, limit, softLimit }: KnownLimits,
): string {
  const effect =
    onExhausted === "pause"
      ? "polling stops at the soft limit"
      : `polls are slowed down, low priority first${slowDownText(status)}`;
  const kept = softLimit < limit ? ` (${formatExact(softLimit)} before the reserve)` : "";
  const origin = isBelowConfigured(limit, monthly)
    ? ", as the data service has less left than api.quota.monthly"
    : "";
  const wanted = formatExact(Math.round(status.forecast));
  const expensive = [...status.paces.keys()].slice(0, MAX_NAMED).join(", ");
  return `The plan needs ${wanted} requests this period, but the quota is ${formatExact(limit)}${kept}${origin}: ${effect}. Most expensive: ${expensive}.`;
}

/**
 * How long after its period the condition is kept. An alert is thus not raised twice if the clock
 * is set to another period and back.
 */
const KEPT_MS = 100 * 86_400_000;

/** Returns the condition of an alert that is raised once per quota period. */
export const oncePerPeriod = (name: string, { id, endMs }: QuotaPeriod): Condition => ({
  key: `${name}:${id}`,
  endsAtMs: endMs + KEPT_MS,
});

/**
 * A limit counts as lower than the configured one only below this share of it, because requests
 * under way cause small differences.
 */
const NOTICEABLY_LESS = 0.98;

/** Whether the data service has noticeably less left than the configuration allows. */
export const isBelowConfigured = (
  limit: number | undefined,
  monthly: number | undefined,
): boolean => limit !== undefined && monthly !== undefined && limit < monthly * NOTICEABLY_LESS;

function slowDownText({ factors }: QuotaStatus): string {
  const slowed = Object.entries(factors).filter(([, factor]) => factor > 1);
  return slowed.length === 0
    ? ""
    : `, now ${slowed.map(([priority, factor]) => `${priority} ×${factor.toFixed(1)}`).join(", ")}`;
}

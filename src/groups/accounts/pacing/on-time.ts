/** Since when groups run when their pace wants them to: what comes while they are kept from it is late for reasons that no pace mends. */
import type { Clock } from "../../../model/clock.ts";

export interface OnTime {
  /** A run begins; since when they have been on time, wall time. `leewayMs`: a run may be so late, or take so long. */
  begin(groupKey: string, leewayMs: number): number;
  /** It ends, and the next one is due then. */
  end(groupKey: string, dueAtMs: number): void;
}

interface Run {
  readonly startedAtMs: number;
  readonly leewayMs: number;
  readonly sinceMs: number;
  readonly dueAtMs?: number;
}

export function createOnTime(clock: Clock): OnTime {
  const runs = new Map<string, Run>();
  return {
    begin(groupKey, leewayMs) {
      const startedAtMs = clock.now();
      const last = runs.get(groupKey);
      // After a clock was set back, what it said before means nothing.
      const isLate = last?.dueAtMs === undefined || startedAtMs - last.dueAtMs > leewayMs || startedAtMs < last.startedAtMs;
      const sinceMs = isLate ? startedAtMs : last.sinceMs;
      runs.set(groupKey, { startedAtMs, leewayMs, sinceMs });
      return sinceMs;
    },
    end(groupKey, dueAtMs) {
      const run = runs.get(groupKey);
      if (run === undefined) return;
      const nowMs = clock.now();
      const isLong = nowMs - run.startedAtMs > run.leewayMs;
      runs.set(groupKey, { ...run, dueAtMs, ...(isLong ? { sinceMs: nowMs } : {}) });
    },
  };
}

/** Watches as the configuration would give them, for tests that read no YAML. */
import type { JsonObject } from "../../src/model/json.ts";
import type { Freshness, Schedule } from "../../src/model/schedule.ts";
import type { Watch } from "../../src/model/watch.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";

/**
 * Overrides of a watch, with its timing given as `schedule` or `freshness` as in the configuration.
 */
export type WatchChanges = Omit<Partial<Watch>, "timing"> & {
  readonly schedule?: Schedule;
  readonly freshness?: Freshness;
};

/**
 * Creates a watch of a type, with its settings parsed by the type's own schema. Polled every minute
 * by default.
 */
export function makeWatch(
  id: string,
  type: string,
  settings: JsonObject,
  changes: WatchChanges = {},
): Watch {
  const watchType = WATCH_TYPES.find((one) => one.type === type);
  if (watchType === undefined) throw new Error(`no watch type ${type}`);
  const parsed = watchType.schema().parse(settings);
  const { schedule = { kind: "every", intervalMs: 60_000 }, freshness, ...others } = changes;
  return {
    id,
    type,
    settings: parsed,
    ...watchType.placing?.(parsed),
    timing:
      freshness === undefined ? { kind: "schedule", schedule } : { kind: "freshness", freshness },
    priority: "normal",
    labels: {},
    firstRun: { kind: "baseline" },
    maxPages: 10,
    maxAgeMs: 86_400_000,
    overlapMs: 900_000,
    include: watchType.include,
    ignore: { authors: [], words: [] },
    sinks: ["out"],
    enabled: true,
    onReturn: "digest",
    ...others,
  };
}

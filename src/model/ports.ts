/**
 * The ports that many parts need, each under one name. A part picks those that it needs and gets no
 * others.
 */
import type { Clock } from "./clock.ts";
import type { Hash } from "./hash.ts";
import type { Log } from "./log.ts";
import type { Meter } from "./meter.ts";
import type { OpsAlerts } from "./ops-alerts.ts";
import type { Random } from "./random.ts";
import type { Share } from "./replicas.ts";
import type { StoreMonitor } from "./store-health.ts";
import type { Notes } from "./store.ts";
import type { Trace } from "./trace.ts";

export interface Ports {
  readonly clock: Clock;
  readonly random: Random;
  readonly hash: Hash;
  readonly log: Log;
  readonly meter: Meter;
  readonly trace: Trace;
  readonly notes: Notes;
  readonly opsAlerts: OpsAlerts;
  readonly share: Share;
  readonly storeMonitor: StoreMonitor;
}

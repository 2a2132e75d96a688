/** The daemon's own events, for its operator. */
import type { Json } from "./json.ts";

export interface OpsAlert {
  /** The type of the event: `upstream.dark`, `sink.failing`, `watch.gap` … */
  readonly type: string;
  readonly subject: string;
  readonly severity: "info" | "warning" | "critical";
  /** A sentence for the operator. */
  readonly message: string;
  readonly hint?: string;
  readonly watch?: string;
  readonly facts?: Readonly<Record<string, Json>>;
  /** The sink that the alert is about. The alert is never sent through it. */
  readonly exceptSink?: string;
  /**
   * The condition that the alert reports, if it lasts. The alert is raised again only after the
   * condition was cleared, even after a restart. If absent, the alert is raised at each call.
   */
  readonly once?: Condition;
  /**
   * A text that identifies the occurrence, for an alert that may be raised again after a crash.
   * With the same episode it is stored only once.
   */
  readonly episode?: string;
}

export interface Condition {
  /** The key of the condition, which includes its subject, such as `watch.stalled:brand`. */
  readonly key: string;
  /**
   * A text that raises the alert again if it differs from the one at the last alert, even while the
   * condition lasts.
   */
  readonly about?: string;
  /** When the condition ends by itself, in epoch ms. */
  readonly endsAtMs?: number;
  /**
   * How long no other replica can clear the condition after this call. A replica that still sees
   * the condition raises it again within this time.
   */
  readonly seenForMs?: number;
}

export interface OpsAlerts {
  /**
   * Stores and routes an alert. If the store cannot be written, the alert is logged, and stored
   * later: at the next call for its condition, or at the next `load` if it has no condition. Never
   * rejects.
   */
  raise(alert: OpsAlert): Promise<void>;
  /**
   * Ends a condition, and raises `recovered` if it was raised. Does nothing while another replica
   * may still see it, or while `recovered` cannot be stored. Never rejects.
   */
  clear(key: string, recovered?: OpsAlert): Promise<void>;
  /**
   * Loads which conditions last, if that was never done or other replicas may have changed them,
   * after storing the alerts that could not be stored before. Call it before `lasting`.
   */
  load(): Promise<void>;
  /** Loads the conditions again, because another process may have raised or cleared some. */
  reload(): Promise<void>;
  /**
   * Returns the conditions that were raised and not cleared and whose keys begin with `prefix`: the
   * rest of each key.
   */
  lasting(prefix: string): ReadonlySet<string>;
}

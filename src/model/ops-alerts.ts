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
   * For a condition that lasts: the alert is raised again only after the condition was cleared,
   * even after a restart. By default, an alert is raised each time.
   */
  readonly once?: Condition;
  /** For an alert that a crash may raise again: with the same episode it is stored only once. */
  readonly episode?: string;
}

export interface Condition {
  /** The condition and its subject, such as `watch.stalled:brand`. */
  readonly key: string;
  /** While the condition lasts, a different text raises the alert again. */
  readonly about?: string;
  /** When the condition ends by itself, in epoch ms. */
  readonly endsAtMs?: number;
  /**
   * Several replicas may see the condition. Each of them raises it again within this time, and no
   * other one can clear it meanwhile.
   */
  readonly seenForMs?: number;
}

export interface OpsAlerts {
  /**
   * Stores and routes an alert. If the store cannot be written, the alert is only logged. Never
   * rejects.
   */
  raise(alert: OpsAlert): Promise<void>;
  /**
   * Ends a condition, and raises `recovered` if it was raised. Does nothing while another replica
   * may still see it. Never rejects.
   */
  clear(key: string, recovered?: OpsAlert): Promise<void>;
  /**
   * Reads which conditions last, if that was never done or other replicas may have changed them.
   * Called before `lasting`.
   */
  load(): Promise<void>;
  /** Reads the conditions again, because another process may have raised or cleared some. */
  reload(): Promise<void>;
  /**
   * Returns what follows `prefix` in the keys of the conditions that were raised and not cleared.
   */
  lasting(prefix: string): ReadonlySet<string>;
}

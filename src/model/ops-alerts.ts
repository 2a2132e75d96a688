/** Events of the daemon itself, for its operator. */
import type { Json } from "./json.ts";

export interface OpsAlert {
  /** `upstream.dark`, `sink.failing`, `watch.gap` … */
  readonly type: string;
  readonly subject: string;
  readonly severity: "info" | "warning" | "critical";
  /** One sentence for the operator. */
  readonly message: string;
  readonly hint?: string;
  readonly watch?: string;
  readonly facts?: Readonly<Record<string, Json>>;
  /** Never sent through the sink it is about. */
  readonly exceptSink?: string;
  /**
   * Of a condition that lasts: raised again only after it was cleared, also after a restart.
   * Default: raised each time.
   */
  readonly once?: Condition;
  /** Of an alert that a crash may raise again: with the same one it is stored once. */
  readonly episode?: string;
}

export interface Condition {
  /** What lasts, and of what: `watch.stalled:brand`. */
  readonly key: string;
  /** While it lasts, another text raises it anew. */
  readonly about?: string;
  /** It ends by itself then, epoch ms. */
  readonly endsAtMs?: number;
  /**
   * Whoever sees it raises it again within so long: several replicas may see it, and none clears
   * what another saw since.
   */
  readonly seenForMs?: number;
}

export interface OpsAlerts {
  /**
   * Stores and routes an alert; when the store cannot take it, it stays in the log. Never rejects.
   */
  raise(alert: OpsAlert): Promise<void>;
  /**
   * Ends a condition, and raises `recovered` if it was raised; not while another replica may see it
   * still. Never rejects.
   */
  clear(key: string, recovered?: OpsAlert): Promise<void>;
  /**
   * Reads which conditions last, where other replicas may have changed them or it never was; asked
   * before `lasting`.
   */
  load(): Promise<void>;
  /** Reads them again, as another process may have raised or cleared some. */
  reload(): Promise<void>;
  /** What follows `prefix` in the keys of the conditions that were raised and not cleared. */
  lasting(prefix: string): ReadonlySet<string>;
}

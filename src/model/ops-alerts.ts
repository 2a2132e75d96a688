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
}

export interface OpsAlerts {
  /** Stores and routes an alert; when the store cannot take it, it stays in the log. Never rejects. */
  raise(alert: OpsAlert): Promise<void>;
}

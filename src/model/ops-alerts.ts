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
  /** Never told through the sink it is about. */
  readonly exceptSink?: string;
}

export interface OpsAlerts {
  /** Stores and routes a notice; a store that cannot take it leaves it in the log. Never rejects. */
  raise(alert: OpsAlert): Promise<void>;
}

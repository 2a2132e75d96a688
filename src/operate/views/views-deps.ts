/** The parts of a running daemon that its views read. */
import type { FailingTemplate } from "../../deliver/stages/word-events.ts";
import type { Pump } from "../../deliver/pump.ts";
import type { UpstreamMonitor } from "../../engine/health/upstream-monitor.ts";
import type { AuditReadings } from "../../engine/quota/audit-readings.ts";
import type { KeyMonitor } from "../../engine/quota/key-monitor.ts";
import type { Enricher } from "../../enrich/enricher.ts";
import type { Sink } from "../../model/sink.ts";
import type { StoreMonitor } from "../../model/store-health.ts";
import type { TemplateRunner } from "../../model/template.ts";
import type { ConfigView } from "../../server/schema/status-view.ts";
import type { OpenedStore } from "../../state/open.ts";
import type { Routing } from "../alerts/routing.ts";
import type { ActivityFeed } from "./activity.ts";
import type { ScrapeDeps } from "./scrape.ts";

/**
 * Says whether this replica runs the current configuration, which is the newest one recorded in the
 * state.
 */
interface ActiveRevision {
  /** Why this replica's configuration is not the current one; undefined if it is. */
  superseded(): string | undefined;
  /** Whether this replica does nothing until its configuration file changes. */
  isWaiting(): boolean;
}

/** The delivery parts of the active configuration. */
interface ActiveDelivery {
  readonly pump: Pick<Pump, "pauses">;
  /** The sinks by name. */
  readonly sinks: ReadonlyMap<string, { readonly sink: Sink }>;
  /** Undefined if there are no templates. */
  readonly templates:
    | { readonly runner: TemplateRunner; failing(): readonly FailingTemplate[] }
    | undefined;
}

export interface ViewsDeps extends ScrapeDeps {
  readonly store: OpenedStore;
  readonly feed: ActivityFeed;
  readonly auditReadings: AuditReadings;
  readonly keyMonitor: KeyMonitor;
  readonly upstreamMonitor: UpstreamMonitor;
  readonly storeMonitor: StoreMonitor;
  readonly startedAtMs: number;
  readonly revisions: ActiveRevision;
  readonly delivery: () => ActiveDelivery;
  readonly routing: () => Routing;
  readonly lastReload: () => ConfigView["last_reload"];
  readonly failingEnrichments: Enricher["failing"];
  readonly archiving: { readonly offReason: () => string | undefined };
  /** Returns why clicks in chats are not received, a sentence for each chat. */
  readonly chatTroubles: () => readonly string[];
}

/**
 * Makes another configuration the active one: deliveries, keys and watches together, or none of
 * them.
 */
import type { Config } from "../config/config.ts";
import type { Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { Log } from "../model/log.ts";
import type { Share } from "../model/replicas.ts";
import type { Store } from "../model/store.ts";
import { enabledOf, registerConfiguredWatches } from "./daemon/registration.ts";
import type { Delivering } from "./delivering/delivering.ts";
import { warnOfStranded } from "../operate/alerts/stranded.ts";
import type { Polling } from "./polling/polling.ts";
import type { SandboxGuard } from "../engine/health/sandbox-guard.ts";
import type { ReloadDeps } from "./reload/reload.ts";

export interface SwapDeps {
  readonly guard: Pick<SandboxGuard, "refusalOf">;
  readonly delivering: Pick<Delivering, "prepare" | "config">;
  readonly polling: Pick<Polling, "engine" | "report" | "storeMonitor" | "renewKey">;
  readonly store: Store;
  readonly hash: Hash;
  readonly clock: Clock;
  readonly log: Log;
  readonly share: Share;
}

export function createSwap({
  guard,
  delivering,
  polling,
  store,
  hash,
  clock,
  log,
  share,
}: SwapDeps): Pick<ReloadDeps, "swap" | "renew"> {
  return {
    async renew() {
      const activate = await delivering.prepare(delivering.config());
      await activate();
      polling.renewKey();
    },
    async swap(next: Config, { watches: changes }) {
      const refused = guard.refusalOf(next.sinks);
      if (refused !== undefined) throw refused;
      const activate = await delivering.prepare(next);
      // The state registers the watches before anything that is active changes. If the state cannot
      // be written, everything therefore stays as it was.
      const register = async () => {
        if (changes.changed.length > 0) await polling.engine.writeLearned();
        return registerConfiguredWatches(next, { store, hash, clock, log, share });
      };
      const registered = await register().catch((error: unknown) => {
        polling.storeMonitor.recordError(error);
        throw error;
      });
      await activate(registered);
      polling.renewKey();
      const watches = enabledOf(registered);
      await polling.engine.setWatches(watches);
      const isNews = new Set([...changes.added, ...changes.changed]);
      polling.report.started(watches.filter(({ watch }) => isNews.has(watch.id)));
      await warnOfStranded(next, { store, log });
    },
  };
}

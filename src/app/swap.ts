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
import type { ReadUntil } from "../model/watch-store.ts";
import { enabledOf, registerConfiguredWatches } from "./daemon/registration.ts";
import type { Delivering } from "./delivering/delivering.ts";
import { warnOfStranded } from "../operate/alerts/stranded.ts";
import type { Polling } from "./polling/polling.ts";
import type { SandboxGuard } from "../engine/health/sandbox-guard.ts";
import type { ReloadDeps } from "./reload/reload.ts";

export interface SwapDeps {
  readonly guard: Pick<SandboxGuard, "refusalOf">;
  readonly delivering: Pick<Delivering, "prepare" | "config">;
  readonly polling: Pick<Polling, "engine" | "report" | "storeWatch" | "renewKey">;
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
      // Until the state has taken the watches, nothing that is active has changed: a state that
      // cannot be written leaves all as it was.
      const register = async () => {
        const readUntilMs = await readUntil(changes.changed, polling.engine, store);
        return registerConfiguredWatches(next, { store, hash, clock, log, share, readUntilMs });
      };
      const registered = await register().catch((error: unknown) => {
        polling.storeWatch.takeError(error);
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

/** When the feeds of these watches were read last, of those that read one. */
async function readUntil(
  watchIds: readonly string[],
  engine: Pick<Polling["engine"], "pollsOf">,
  store: Pick<Store, "loadSources">,
): Promise<ReadUntil> {
  const feeds = watchIds.flatMap((id) => {
    const own = engine
      .pollsOf(id)
      .flatMap((poll) =>
        (poll.group?.members ?? [poll]).map((feed) => ({ feed, keys: [feed.key, poll.key] })),
      )
      .filter(({ feed }) => feed.subscribers.some(({ watch }) => watch.id === id));
    const [first, ...others] = own;
    return first?.feed.detector === "feed" && others.length === 0 ? [{ id, keys: first.keys }] : [];
  });
  const sources =
    feeds.length === 0
      ? []
      : await store.loadSources([...new Set(feeds.flatMap(({ keys }) => keys))]);
  const readMs = new Map(
    sources.map(({ fingerprint, lastOkAtMs }) => [fingerprint, lastOkAtMs ?? 0]),
  );
  // A feed that is read in a group has a time of its own only where something of it was read.
  const times = feeds.map(
    ({ id, keys }) => [id, Math.max(...keys.map((key) => readMs.get(key) ?? 0))] as const,
  );
  return new Map(times.filter(([, atMs]) => atMs > 0));
}

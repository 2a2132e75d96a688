/** One of several daemons on a state: its work begins with what it holds, and begins again with less when others are to do some of it. */
import type { Config } from "../config/config.ts";
import type { Clock } from "../model/clock.ts";
import type { Hash } from "../model/hash.ts";
import type { Log } from "../model/log.ts";
import type { Membership, ReplicaStore, Share } from "../model/replicas.ts";
import type { Teardown } from "./daemon/teardown.ts";
import type { RunningWork } from "./work.ts";
import { Fleet } from "./fleet/fleet.ts";

export interface ReplicaParts {
  readonly store: ReplicaStore;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly log: Log;
  readonly hash: Hash;
  readonly start: (config: Config, share: Share) => Promise<RunningWork>;
}

export async function startReplica(
  initial: Config,
  { start, hash, ...parts }: ReplicaParts,
  teardown: Teardown,
): Promise<Pick<RunningWork, "url" | "engine" | "reload">> {
  let config = () => initial;
  const hashOf = (of: Config) => hash(whatItDoes(of));
  const fleet = new Fleet({ ...parts, configHash: () => hashOf(config()) });
  await fleet.join();
  let work = await start(initial, fleet);
  config = work.config;
  teardown.push("work", () => work.stop());
  // Whoever knows the address of the page keeps it.
  const port = Number(new URL(work.url).port);
  const restart = async (between: () => Promise<void>) => {
    const { server, ...rest } = work.config();
    await work.stop();
    await between();
    work = await start({ ...rest, server: { ...server, port } }, fleet);
    config = work.config;
  };
  const stopWatching = fleet.start({ restart, changed: () => work.shareChanged(), delivered: () => work.wakeDelivery() });
  teardown.push("share", stopWatching);
  return {
    url: work.url,
    get engine() {
      return work.engine;
    },
    reload: (askedBy) => work.reload(askedBy),
  };
}

/** Replicas may have their files in other places, and listen elsewhere. */
const whatItDoes = ({ watches, sinks, route, templates, ops, api }: Config): string =>
  JSON.stringify({ watches, sinks, route, templates, ops, api }, (key, value: unknown) => (key === "declaredAt" ? undefined : value));

/**
 * Opens the state. Where another daemon is active on it, this one stands by until that ends; it then takes the configuration as it is by
 * then, as it did not follow changes.
 */
import type { Config } from "../../config/config.ts";
import { formatIssue } from "../../config/report.ts";
import type { OpenedStore } from "../../state/open.ts";
import { type ActivityFeed, createActivityFeed, publishingStore } from "./activity.ts";
import type { Adapters, DaemonDeps } from "./daemon-deps.ts";
import type { Serving } from "./serving.ts";

interface Opened {
  readonly feed: ActivityFeed;
  readonly store: OpenedStore;
  readonly config: Config;
}

interface StandByParts {
  readonly adapters: Adapters;
  readonly serving: Pick<Serving, "open">;
}

export async function openOrStandBy(initial: Config, { adapters, serving }: StandByParts, deps: DaemonDeps): Promise<Opened> {
  const { clock, random, log } = deps;
  let [host, served]: [string | undefined, Promise<void>] = [undefined, Promise.resolve()];
  // Another daemon on the same machine may have the same addresses: they are its own while it is active.
  const serve = () =>
    serving
      .open(() => `it stands by; active is ${host}`)
      .catch((error: unknown) => log.debug("a standby does not answer everywhere", { error }));
  const standby = {
    signal: deps.stopping ?? new AbortController().signal,
    onWait(active: { readonly host: string }) {
      log.info("standing by: another chirpwatch is active on this state", { host: active.host });
      const isFirst = host === undefined;
      host = active.host;
      if (isFirst) served = serve();
    },
    onReplaced: deps.onRefused ?? (() => undefined),
  };
  try {
    const feed = createActivityFeed();
    const store = publishingStore(await adapters.openStore({ ...initial.state, clock, random, log, standby }), feed);
    if (host === undefined) return { feed, store, config: initial };
    log.info("no longer standing by: this chirpwatch is active now");
    return { feed, store, config: await loadAgain(initial, deps) };
  } finally {
    await served;
  }
}

async function loadAgain(initial: Config, { load, log }: DaemonDeps): Promise<Config> {
  const loaded = await load();
  if (loaded.ok) return { ...loaded.config, server: initial.server };
  const errors = loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue);
  log.error("the configuration that was changed while standing by is refused: the one of the start is used", { errors });
  return initial;
}

/**
 * Opens the state. Where another daemon is active on it, this one stands by until that ends; it then takes the configuration as it is by
 * then, as it did not follow changes.
 */
import type { Config } from "../../config/config.ts";
import { formatIssue } from "../../config/report.ts";
import type { OpenedStore } from "../../state/open.ts";
import { type ActivityFeed, createActivityFeed, publishingStore } from "./activity.ts";
import type { Adapters, DaemonDeps } from "./daemon-deps.ts";
import { createTeardown, type Teardown } from "./teardown.ts";

interface Opened {
  readonly feed: ActivityFeed;
  readonly store: OpenedStore;
  readonly config: Config;
}

export async function openOrStandBy(initial: Config, adapters: Adapters, deps: DaemonDeps): Promise<Opened> {
  const { clock, random, log } = deps;
  const serving = createTeardown(log);
  let [host, served]: [string | undefined, Promise<void>] = [undefined, Promise.resolve()];
  const standby = {
    signal: deps.stopping ?? new AbortController().signal,
    onWait(active: { readonly host: string }) {
      log.info("standing by: another chirpwatch is active on this state", { host: active.host });
      const isFirst = host === undefined;
      host = active.host;
      const standbyText = () => `it stands by; active is ${host}`;
      if (isFirst) served = serveStandby(initial, { adapters, deps, standbyText }, serving);
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
    await serving.drain();
  }
}

/** Another daemon on the same machine may have the same addresses: they are its own while it is active. */
async function serveStandby(
  { server, state }: Config,
  { adapters, deps, standbyText }: { readonly adapters: Adapters; readonly deps: DaemonDeps; readonly standbyText: () => string },
  serving: Teardown,
): Promise<void> {
  const { clock, log } = deps;
  const { host, port, token } = server;
  const open = async (name: string, start: () => Promise<{ close(): Promise<void> }>) => {
    try {
      const opened = await start();
      serving.push(name, () => opened.close());
    } catch (error) {
      log.debug("a standby does not answer here", { part: name, error });
    }
  };
  await open("control socket", () => adapters.startControl({ clock, standbyText }, state.path));
  await open("server", () => adapters.startServer({ clock, standbyText, host, port, ...(token === undefined ? {} : { token }) }));
}

async function loadAgain(initial: Config, { load, log }: DaemonDeps): Promise<Config> {
  const loaded = await load();
  if (loaded.ok) return { ...loaded.config, server: initial.server };
  const errors = loaded.issues.filter(({ severity }) => severity === "error").map(formatIssue);
  log.error("the configuration that was changed while standing by is refused: the one of the start is used", { errors });
  return initial;
}

/** `chirpwatch status`: what the daemon does, by its own word; what the state remembers, when none runs. */
import type { Command } from "commander";
import { quotaView } from "../../app/views/quota-view.ts";
import { readStoppedQuota } from "../../app/plan/stopped-quota.ts";
import { deadReasons } from "../../app/delivering/dead-letters.ts";
import { readSilences } from "../../app/delivering/silence-actions.ts";
import type { Config } from "../../config/config.ts";
import type { OpenedStore } from "../../state/open.ts";
import { sha256 } from "../../runtime/hash.ts";
import type { StatusView } from "../../server/words/views.ts";
import { replicaViews } from "../../app/views/replicas-view.ts";
import { eventLine, type WatchFacts, watchView } from "../../app/views/status-view.ts";
import { readSinks } from "../../app/views/sinks-view.ts";
import { readDaemon, readState } from "../access/read-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { formatStatus, type StoppedView } from "./status-text.ts";

export function addStatus(program: Command, context: CliContext): void {
  program
    .command("status")
    .description("show the running daemon: watches, sinks, quota, recent alerts; or what its state remembers")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch status -c watches.yaml")
    .action((options: { config: string; json?: true }) => status(context, options.config, options.json === true));
}

async function status(context: CliContext, configPath: string, asJson: boolean): Promise<void> {
  const place = await findDaemon(context, configPath);
  const running = (await readDaemon(context, place, "/api/v1/status")) as StatusView | undefined;
  const view = running ?? (await readState(context, place.config(), (store) => stoppedView(context, store, place.config())));
  context.out(asJson ? JSON.stringify(view, undefined, 2) : formatStatus(view, context.clock.now()));
}

const NOT_RUNNING = "no daemon runs on this state: start it with chirpwatch run";
const ELSEWHERE = "no daemon works on this state here; this is what the state holds";
const RECENT_EVENTS = 20;

/** The same fields as of a running daemon, as far as the state knows them. */
async function stoppedView(context: CliContext, store: OpenedStore, config: Config): Promise<StoppedView> {
  const { facts, spending } = await readStoppedQuota(store, config, { ...context, hash: sha256 });
  const states = await store.listWatches();
  const { views, readWait } = await readSinks(store, config, { pauses: new Map(), nowMs: context.clock.now() });
  const recent = await store.recentRecords(RECENT_EVENTS);
  const factsOf = (id: string): WatchFacts => ({
    state: states.find((state) => state.id === id),
    sink: "",
    lastPollMs: undefined,
    nextPollMs: undefined,
    spent: spending.lines.filter(({ watch }) => watch === id).reduce((sum, { requests }) => sum + requests, 0),
    problem: "",
  });
  const replicas = replicaViews(await store.connectedReplicas(), await store.claims(), undefined);
  const isElsewhere = replicas.length > 0;
  return {
    state: isElsewhere ? "elsewhere" : "not_running",
    replicas,
    reasons: [isElsewhere ? ELSEWHERE : NOT_RUNNING, ...(await deadReasons(store, config, context.clock.now()))],
    // What nothing does here has no forecast here.
    quota: { ...quotaView(facts), forecast: null, expected: null },
    watches: config.watches.filter(({ enabled }) => enabled).map((watch) => watchView(watch, factsOf(watch.id))),
    sinks: views,
    silences: (await readSilences(store, context.clock.now(), false)).silences,
    recent_events: recent.map((record) => eventLine(record, config.linksHost, readWait)),
  };
}

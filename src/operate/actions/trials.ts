/** Tries a sink or a watch, and reads a watch's past, for the pages of a running daemon. */
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Hash } from "../../model/hash.ts";
import type { Random } from "../../model/random.ts";
import type { Sink } from "../../model/sink.ts";
import type { BackfillStore } from "../../model/backfill.ts";
import type { WatchStore } from "../../model/watch-store.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { cleanLine, cleanText } from "../../render/text/clean-text.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import type { Actions } from "../../server/contract/actions.ts";
import type { Backfilled, TestedTarget, Trials } from "../../server/contract/trials.ts";
import { sampleEvent, sendSampleNow } from "../alerts/send-sample.ts";
import { estimateBack } from "../backfill/estimate-back.ts";
import { feedsOf } from "../backfill/backfill-polls.ts";
import { readBack } from "../backfill/read-back.ts";
import { createReader } from "../create-reader.ts";
import type { TriedTarget } from "../try/try-watch.ts";
import { textOf } from "../views/events-view.ts";

export interface TrialsDeps {
  readonly store: BackfillStore & Pick<WatchStore, "listWatches">;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly random: Pick<Random, "id">;
  readonly gate: Pick<RequestGate, "request">;
  readonly config: () => Config;
  /** The polls of all watches. */
  readonly polls: () => readonly Poll[];
  /** The active sinks by name. */
  readonly sinks: () => ReadonlyMap<string, { readonly sink: Sink }>;
  readonly backfill: Actions["backfill"];
}

/** A page waits for the answer, so a test reads few targets. */
const MAX_TARGETS = 5;

/**
 * Returns a function that runs work once for each key at a time. A request for work that is under
 * way waits for its result: a form that is sent twice must not pay twice.
 */
function createShared<Result>() {
  const underWay = new Map<string, Promise<Result>>();
  return (key: string, work: () => Promise<Result>): Promise<Result> => {
    const known = underWay.get(key);
    if (known !== undefined) return known;
    const result = work().finally(() => underWay.delete(key));
    underWay.set(key, result);
    return result;
  };
}

export function createTrials(deps: TrialsDeps): Trials {
  const { store, clock, hash, random, gate, config, polls, sinks } = deps;
  const testOnce = createShared<readonly TestedTarget[] | undefined>();
  const readOnce = createShared<Backfilled | undefined>();
  const sendOnce = createShared<{ readonly error: string } | undefined>();
  const sendTest = async (name: string, by: string) => {
    const sink = sinks().get(name)?.sink;
    if (sink === undefined) return undefined;
    await store.recordChange(clock.now(), "sink test", { sink: name, by });
    const event = sampleEvent(name, random.id(), clock.now());
    const parts = { sink, name, clock, random, linksHost: config().linksHost };
    return sendSampleNow(parts, event).then(
      () => ({ error: "" }),
      (error: unknown) => ({ error: errorText(error) }),
    );
  };
  const plan = async (watchId: string) => {
    const watch = config().watches.find(({ id }) => id === watchId);
    const [state] = await store.listWatches([watchId]);
    // Most daemons never test a watch, so a start does not load what only a test needs.
    const { planTrial } = await import("../try/try-watch.ts");
    return watch && planTrial(watch, { gate, clock, hash, state, mostTargets: MAX_TARGETS });
  };
  const price = async (watchId: string, sinceMs: number) => {
    const feeds = feedsOf(polls(), watchId);
    const [state] = await store.listWatches([watchId]);
    if (state === undefined || feeds.length === 0) return undefined;
    const estimate = await estimateBack(store, feeds, { state, sinceMs, nowMs: clock.now() });
    return { feeds, requests: estimate.requests, unread: estimate.unread };
  };
  const test = async (
    watchId: string,
    by: string,
  ): Promise<readonly TestedTarget[] | undefined> => {
    const trial = await plan(watchId);
    if (trial !== undefined)
      await store.recordChange(clock.now(), "watch test", {
        ...{ watch: watchId, requests: trial.costRequests, by },
      });
    const read = createReader(config().linksHost);
    return (await trial?.run())?.map((target) => shownTarget(target, read));
  };
  const backfill: Trials["backfill"] = async ({ watchId, sinceMs, maxRequests, by }) => {
    const known = await price(watchId, sinceMs);
    if (known === undefined) return undefined;
    let requests = 0;
    const cuts: string[] = [];
    for (const { key, source } of known.feeds) {
      const asked = {
        ...{ source: `backfill:${key}`, watch: watchId, endpoint: source.endpoint },
        ...({ priority: "low", purpose: "poll" } as const),
      };
      const end = await readBack(
        {
          ...{ store, clock },
          ask(params, cursor) {
            requests += 1;
            return gate.request({ ...asked, params, cursor });
          },
          mayAsk: () => requests < maxRequests,
          onPage: () => undefined,
        },
        { key, source, sinceMs },
      ).catch((error: unknown) => errorText(error));
      if (end === "cut") cuts.push(`it stopped after ${requests} requests`);
      else if (end !== "reached") cuts.push(end);
    }
    const view = await deps.backfill({ watchId, sinceMs, by });
    return view && { alerts: view.alerts, requests, cut: [...new Set(cuts)].join("; ") };
  };
  return {
    testSink: (name, by) => sendOnce(name, () => sendTest(name, by)),
    async testPrice(watchId) {
      const trial = await plan(watchId);
      return trial && { requests: trial.costRequests, leftOut: trial.leftOut.length };
    },
    testWatch: (watchId, by) => testOnce(watchId, () => test(watchId, by)),
    backfillPrice: price,
    backfill: (request) => readOnce(request.watchId, () => backfill(request)),
  };
}

const shownTarget = (
  { name, problem, items }: TriedTarget,
  read: ReturnType<typeof createReader>,
): TestedTarget => ({
  name,
  problem,
  items: items.map(({ event, detail }) => {
    const message = read({ event, watches: [event.watch] });
    return {
      title: cleanLine(message.title),
      text: cleanText(textOf(message)),
      rejected: cleanLine(detail),
    };
  }),
});

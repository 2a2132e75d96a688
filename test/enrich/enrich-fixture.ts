/**
 * Events that wait for their enrichment in a state of its own, and an enricher that is started,
 * ended and started again on it. An endpoint is a function.
 */
import { onTestFinished } from "vitest";
import { EnrichFailure } from "../../src/enrich/ask.ts";
import { createEnricher, type Enricher } from "../../src/enrich/enricher.ts";
import type { Enrichment } from "../../src/enrich/read-enrichment.ts";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { OpsAlert } from "../../src/model/ops-alerts.ts";
import type { EnrichRule } from "../../src/model/watch.ts";
import { makeEvent, makeTweet } from "../support/make-event.ts";
import { createRecordedOpsAlerts } from "../support/recorded-ops-alerts.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { memoryStatePath, openTemp, rememberingLog, START_MS } from "../state/temp-state.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

export const RULE: EnrichRule = {
  via: { kind: "url", url: "https://endpoint.example/", headers: {}, isPrivateAllowed: false },
  labels: ["mood"],
  timeoutMs: 3 * SECOND,
  concurrency: 4,
  cacheMs: 0,
  onError: "pass",
  maxHoldMs: 10 * MINUTE,
};

/**
 * The behaviour of an endpoint. Undefined means no answer, and a number how long it asks to wait.
 */
export type Endpoint = (
  event: ChirpEvent,
  rule: EnrichRule,
) => Record<string, string> | number | undefined;

export interface Sent {
  readonly event: ChirpEvent;
  readonly atMs: number;
}

/** Sets up an enricher. `rules` has the rules of the watches, by their names. */
export async function setUpEnricher(
  rules: Record<string, EnrichRule | undefined>,
  endpoint: Endpoint,
) {
  const clock = createVirtualClock(START_MS);
  const store = await openTemp(memoryStatePath(), { clock });
  const names = Object.keys(rules);
  const states = await store.registerWatches(
    names.map((id) => ({ id, type: "search", targets: [{ key: "t", name: "t" }] })),
    clock.now(),
  );
  const keys = new Map(names.map((id, index) => [id, states[index]?.key ?? ""]));
  const idOf = (watchKey: string) => names.find((id) => keys.get(id) === watchKey) ?? "";
  const [sent, asked, ops]: [
    Sent[],
    { atMs: number; subject: string; watch: string }[],
    OpsAlert[],
  ] = [[], [], []];
  const current = { rules, endpoint, renamed: new Map<string, string>() };
  const opsAlerts = createRecordedOpsAlerts(store, clock, (alert) => void ops.push(alert));
  const ask = async (rule: EnrichRule, event: ChirpEvent): Promise<Enrichment> => {
    asked.push({ atMs: clock.now() - START_MS, subject: event.subject, watch: event.watch });
    const answer = current.endpoint(event, rule);
    if (answer === undefined) throw new EnrichFailure("down");
    if (typeof answer === "number")
      throw new EnrichFailure("the endpoint answered 503", { afterMs: answer });
    return { labels: answer, fields: {}, undeclared: [] };
  };
  const begin = (): Enricher =>
    createEnricher({
      ...{ store, clock, ask, opsAlerts, log: rememberingLog(), random: createSeededRandom(1) },
      meter: { set: () => undefined, count: () => undefined, observe: () => undefined },
      ruleOf: (watchKey) => current.rules[idOf(watchKey)],
      route: ({ event: stored, watchKey }, atMs) => {
        const event = { ...stored, watch: current.renamed.get(idOf(watchKey)) ?? stored.watch };
        sent.push({ event, atMs: clock.now() - START_MS });
        const delivery = {
          eventId: event.id,
          sink: "hook",
          groupKey: event.id,
          groupWaitMs: 0,
          groupIntervalMs: 0,
          notBeforeMs: atMs,
        };
        return { event, deliveries: [delivery] };
      },
      onStored: () => undefined,
    });
  let enricher = begin();
  onTestFinished(() => enricher.stop());
  const add = async (
    watch: string,
    id: string,
    { text = `text ${id}`, labels = {} }: { text?: string; labels?: object } = {},
  ) => {
    const watchKey = keys.get(watch) ?? "";
    const event = {
      ...makeEvent(id, { watch, body: { tweet: makeTweet(id, text) } }),
      watchKey,
      detectedAtMs: clock.now(),
    };
    const labelled = { ...event, labels: { ...event.labels, ...labels } };
    const enrichments = [{ eventId: event.id, watchKey, ownSinks: [] }];
    await store.commitPoll({
      atMs: clock.now(),
      targets: [],
      verdicts: [],
      events: [labelled],
      deliveries: [],
      enrichments,
    });
    enricher.wake();
    await clock.advance(0);
    return event.id;
  };
  return {
    ...{ clock, store, sent, asked, ops, current, add },
    enricher: () => enricher,
    /** Ends the process, and starts the next one after this time. */
    async restart(downMs = 0) {
      await enricher.stop();
      await clock.advance(downMs);
      enricher = begin();
      enricher.wake();
      await clock.advance(0);
    },
  };
}

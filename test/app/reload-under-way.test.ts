/**
 * Tests reloads while polls, messages and refusals are in progress: these end well, and everything
 * later follows the new configuration.
 */
import { expect, it } from "vitest";
import { sleep } from "../../src/model/clock.ts";
import type { Http, HttpRequest } from "../../src/model/http.ts";
import { StoreError } from "../../src/model/store-error.ts";
import type { OpenedStore } from "../../src/state/open.ts";
import {
  type InnerDaemon,
  type InnerDaemonOptions,
  KEY,
  startInnerDaemon,
} from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AUTHOR = "fresh_one";
const SEARCH = { type: "search", query: "zebra", schedule: "@every 10s" };

const setUp = (options: Partial<InnerDaemonOptions> = {}): Promise<InnerDaemon> =>
  startInnerDaemon({
    watches: () => ({ w: SEARCH }),
    prepare: (control) => control("accounts", { username: AUTHOR }),
    ...options,
  });

const tweet = async ({ control }: InnerDaemon): Promise<string> =>
  (await control("tweets", { username: AUTHOR, text: "a new zebra" })).ids[0];

/** Creates a gate in front of the network that the test opens and closes. */
function createHold() {
  const waiting: (() => void)[] = [];
  const hold: {
    on: ((request: HttpRequest) => boolean) | undefined;
    held: number;
    open: () => void;
  } = {
    on: undefined,
    held: 0,
    /** Releases all requests that it holds back, the first ones first. */
    open: () => waiting.splice(0).forEach((go) => go()),
  };
  const opened = () => new Promise<void>((resolve) => waiting.push(resolve));
  const httpFilter = (http: Http): Http => ({
    async request(request) {
      if (hold.on?.(request) === true) {
        hold.held += 1;
        await opened();
      }
      return http.request(request);
    },
  });
  return { hold, httpFilter };
}

it("fault 109: alerts and ops alerts go where the last reload says, and at once, after a second reload too", async () => {
  const more: Record<string, unknown> = { route: { sink: "ops" }, ops: { sink: "hook" } };
  const daemon = await setUp({ more });
  const { clock, hook, ops, reload } = daemon;
  await clock.advance(MINUTE);
  for (const [alerts, news] of [
    ["hook", "ops"],
    ["ops", "hook"],
  ]) {
    Object.assign(more, { route: { sink: alerts }, ops: { sink: news } });
    await reload();
    const [alertHook, opsHook] = alerts === "hook" ? [hook, ops] : [ops, hook];
    // A pump that is not woken wakes up only twice a minute, so it hardly ever runs in time by
    // chance.
    for (let round = 0; round < 4; round += 1) {
      const id = await tweet(daemon);
      await clock.advance(12 * SECOND);
      expect(alertHook.subjects().at(-1)).toBe(id);
      more["server"] = {
        listen: "127.0.0.1:0",
        public_url: `https://example.com/${alerts}/${round}`,
      };
      await reload();
      more["server"] = { listen: "127.0.0.1:0" };
      await clock.advance(2 * SECOND);
      expect(opsHook.events().filter(({ type }) => type === "config.refused")).toHaveLength(
        round + 1,
      );
    }
  }
});

it("fault 109: a message under way is sent once, and the next one of its sink waits for it", async () => {
  const { hold, httpFilter } = createHold();
  const daemon = await setUp({ httpFilter });
  const { clock, hook, reload } = daemon;
  await clock.advance(MINUTE);
  hold.on = ({ url }) => url === hook.url;
  const id = await tweet(daemon);
  while (hold.held === 0) await clock.advance(SECOND);
  const release = sleep(clock, 4 * SECOND).then(() => {
    hold.on = undefined;
    hold.open();
  });
  await reload();
  await release;
  await clock.advance(MINUTE);
  expect(hook.messages().flatMap(({ events }) => events.map(({ subject }) => subject))).toEqual([
    id,
  ]);
  expect(hold.held).toBe(1);
});

it("a poll under way alerts the sinks its watch has now, although it is renamed", async () => {
  const watches: Record<string, object> = { w: { ...SEARCH, sink: "hook" } };
  const { hold, httpFilter } = createHold();
  const daemon = await setUp({ httpFilter, watches: () => watches });
  const { clock, hook, ops, reload } = daemon;
  await clock.advance(MINUTE);
  for (const [from, to, sink] of [
    ["w", "w", ops],
    ["w", "renamed", hook],
  ] as const) {
    const id = await tweet(daemon);
    hold.on = ({ url }) => url.includes("search");
    hold.held = 0;
    while (hold.held === 0) await clock.advance(SECOND);
    delete watches[from];
    watches[to] = {
      ...SEARCH,
      sink: sink === ops ? "ops" : "hook",
      ...(from === to ? {} : { moved_from: from }),
    };
    await reload();
    hold.on = undefined;
    hold.open();
    await clock.advance(MINUTE);
    expect(sink.subjects()).toContain(id);
    expect(
      [...hook.subjects(), ...ops.subjects()].filter((subject) => subject === id),
    ).toHaveLength(1);
  }
});

it("a poll held up over two reloads alerts under the name its watch has at last, by the routes for that name; a new watch of the first name has its own", async () => {
  const watches: Record<string, object> = { first: SEARCH };
  const more: Record<string, object> = { route: { sink: "ops" } };
  const { hold, httpFilter } = createHold();
  const daemon = await setUp({ httpFilter, watches: () => watches, more });
  const { clock, hook, ops, reload } = daemon;
  await clock.advance(MINUTE);
  const id = await tweet(daemon);
  hold.on = ({ url }) => url.includes("search");
  while (hold.held === 0) await clock.advance(SECOND);
  for (const [from, to] of [
    ["first", "second"],
    ["second", "third"],
  ] as const) {
    delete watches[from];
    watches[to] = { ...SEARCH, moved_from: from };
    more["route"] = { sink: "ops", routes: [{ matchers: [`watch="${to}"`], sink: "hook" }] };
    await reload();
  }
  watches["first"] = { ...SEARCH, query: "giraffe" };
  await reload();
  hold.on = undefined;
  hold.open();
  await clock.advance(MINUTE);
  expect(
    hook.events().map(({ watch, labels, subject }) => [watch, labels["watch"], subject]),
  ).toEqual([["third", "third", id]]);
  await daemon.control("tweets", { username: AUTHOR, text: "a giraffe" });
  await clock.advance(MINUTE);
  expect(
    ops.events().flatMap(({ watch, labels }) => (watch === "first" ? [labels["watch"]] : [])),
  ).toEqual(["first"]);
  expect(hook.events()).toHaveLength(1);
});

it("another key pays from the reload on, and one that was suspended is tried again", async () => {
  const named = (second: string) => ({
    quota: { monthly: 300_000 },
    keys: [
      { key: KEY, name: "first", monthly: 100_000 },
      { key: second, name: "second", monthly: 200_000 },
    ],
  });
  const daemon = await setUp({
    api: named("K2"),
    prepare: async (control) => {
      await control("accounts", { username: AUTHOR });
      for (const key of ["K2", "K3"]) await control("keys", { key, quota: 1_000_000 });
    },
  });
  const { clock, control, reload, status } = daemon;
  const spentBy = async (key: string): Promise<number> =>
    (await control("requests")).billed_by_key[key] ?? 0;
  await clock.advance(2 * MINUTE);
  expect(await spentBy("K2")).toBeGreaterThan(5);
  await control("keys/K2", undefined, "DELETE");
  await clock.advance(2 * MINUTE);
  expect((await status()).reasons.join()).toContain("the key second is suspended");
  await reload(named("K3"));
  await clock.advance(2 * MINUTE);
  expect(await spentBy("K3")).toBeGreaterThan(5);
  expect((await status()).reasons).toEqual([]);
});

it("a configuration that could not be stored is loaded each time the state can be written again, and the ops alert goes through its own sinks", async () => {
  let isFull = false;
  const writes = new Set([
    "commitPoll",
    "registerWatches",
    "proveWritable",
    "reserve",
    "settle",
    "seal",
    "record",
  ]);
  const storeFilter = (store: OpenedStore): OpenedStore =>
    new Proxy(store, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function" || !writes.has(String(name))) return value;
        return (...args: unknown[]) =>
          isFull
            ? Promise.reject(new StoreError("STORE_FULL", "The disk is full."))
            : value.apply(target, args);
      },
    });
  const watches: Record<string, object> = { w: SEARCH };
  const more: Record<string, unknown> = { ops: { sink: "hook" } };
  const daemon = await setUp({ storeFilter, watches: () => watches, more });
  const { clock, ops, reload, status } = daemon;
  await clock.advance(MINUTE);
  more["ops"] = { sink: "ops" };
  await reload();
  for (const id of ["second", "third"]) {
    isFull = true;
    watches[id] = { ...SEARCH, query: id };
    await reload();
    expect((await status()).watches.map((watch) => watch.id)).not.toContain(id);
    await clock.advance(10 * SECOND);
    isFull = false;
    await clock.advance(40 * SECOND);
    expect((await status()).watches.map((watch) => watch.id)).toContain(id);
  }
  const alerted = ops.events().filter(({ type }) => type === "state.trouble");
  expect(alerted).toHaveLength(4);
});

it.each([
  ["of an unchanged file", false],
  ["of a changed file", true],
])(
  "a reload %s that meets a state which answers nothing leaves no destination behind, and says nothing of the configuration",
  async (_, isChanged) => {
    let isAway = false;
    const storeFilter = (store: OpenedStore): OpenedStore =>
      new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name);
          if (typeof value !== "function" || name === "sizeBytes" || name === "close") return value;
          return (...args: unknown[]) =>
            isAway
              ? Promise.reject(new StoreError("STORE_UNREACHABLE", "The server does not answer."))
              : value.apply(target, args);
        },
      });
    const watches: Record<string, object> = { w: { ...SEARCH, schedule: "@every 1h" } };
    const daemon = await setUp({ storeFilter, watches: () => watches });
    const { clock, hook, ops, reload, status } = daemon;
    await clock.advance(MINUTE);
    const id = await tweet(daemon);
    isAway = true;
    if (isChanged) watches["late"] = { ...SEARCH, query: "giraffe" };
    await reload();
    await clock.advance(2 * MINUTE);
    isAway = false;
    await clock.advance(65 * MINUTE);
    expect(hook.subjects()).toEqual([id]);
    expect((await status()).watches.map((watch) => watch.id)).toEqual(
      isChanged ? ["w", "late"] : ["w"],
    );
    expect(ops.events().map(({ type }) => type)).not.toContain("config.refused");
  },
);

it.each(["single", "merge"])(
  "what is posted between the last poll of a query and its edit is announced, and nothing from before: %s",
  async (strategy) => {
    const search = { ...SEARCH, schedule: "@every 10m", strategy };
    const watches: Record<string, object> = { w: search, other: { ...search, query: "lion" } };
    const daemon = await setUp({ watches: () => watches });
    const { clock, control, hook, reload } = daemon;
    const post = async (text: string): Promise<string> =>
      (await control("tweets", { username: AUTHOR, text })).ids[0];
    await clock.advance(MINUTE);
    await post("an early giraffe");
    // An empty answer to a shared search does not count as a read, because a service that shows
    // nothing looks the same.
    const lion = await post("a lion");
    await clock.advance(15 * MINUTE);
    const isPolled = (await daemon.status()).watches.find(({ id }) => id === "w")?.last_poll_at;
    const [zebra, giraffe] = [await post("a zebra and a giraffe"), await post("a giraffe")];
    await clock.advance(SECOND);
    expect((await daemon.status()).watches.find(({ id }) => id === "w")?.last_poll_at).toBe(
      isPolled,
    );
    for (const query of ["giraffe", "giraffe OR zebra"]) {
      watches["w"] = { ...search, query };
      await reload();
      await clock.advance(11 * MINUTE);
      expect(hook.subjects().toSorted()).toEqual([lion, zebra, giraffe].toSorted());
    }
  },
);

it("the state is kept as long as the last reload says", async () => {
  const state = { retention: "10d" };
  const prunedMs: number[] = [];
  const storeFilter = (store: OpenedStore): OpenedStore => ({
    ...store,
    prune(nowMs, retentionMs, inUse) {
      prunedMs.push(retentionMs);
      return store.prune(nowMs, retentionMs, inUse);
    },
  });
  const { clock, reload } = await setUp({
    storeFilter,
    state,
    watches: () => ({ w: { ...SEARCH, schedule: "@every 12h" } }),
  });
  await clock.advance(2 * MINUTE);
  state.retention = "20d";
  await reload();
  await clock.advance(24 * 60 * MINUTE);
  expect(prunedMs.map((ms) => ms / (24 * 60 * MINUTE))).toEqual([10, 20]);
});

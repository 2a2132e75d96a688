import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseMatcher } from "../../src/route/matcher.ts";
import { compilePattern } from "../../src/route/pattern.ts";
import type { Matcher, Route, TimeInterval } from "../../src/route/route.ts";
import {
  routeEvent,
  throttlesByKey,
  type RoutingContext,
  type SinkFacts,
} from "../../src/route/route-event.ts";
import { EVENT_TIME_MS, makeEvent, makeOpsAlert } from "../support/make-event.ts";

const HOUR_MS = 3_600_000;

function matcher(text: string): Matcher {
  const parsed = parseMatcher(text, compilePattern);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
}

interface RouteChanges extends Omit<Partial<Route>, "matchers" | "routes"> {
  readonly matchers?: readonly string[];
  readonly routes?: readonly RouteChanges[];
}

function makeRoute({ matchers = [], routes = [], ...rest }: RouteChanges, path = "0"): Route {
  return {
    path,
    sinks: [],
    continues: false,
    groupBy: [],
    groupWaitMs: 0,
    groupIntervalMs: 0,
    ...rest,
    matchers: matchers.map(matcher),
    routes: routes.map((route, index) => makeRoute(route, `${path}.${index}`)),
  };
}

const hook: SinkFacts = { chat: false };
const chat: SinkFacts = {
  chat: true,
  throttle: { limit: 30, intervalMs: 600_000, onExceed: "digest", digestIntervalMs: 120_000 },
};
const SINKS = new Map([
  ...["a", "b", "c", "root"].map((name) => [name, hook] as const),
  ["slack", chat] as const,
]);

function deliveriesOf(
  event = makeEvent("1"),
  tree?: RouteChanges,
  changes: Partial<RoutingContext> = {},
) {
  const made = tree === undefined ? undefined : makeRoute(tree);
  return routeEvent(event, {
    ownSinks: [],
    tree: made,
    sinks: SINKS,
    nowMs: EVENT_TIME_MS,
    ...changes,
  });
}

const sinksOf = (...args: Parameters<typeof deliveriesOf>) =>
  deliveriesOf(...args).map((delivery) => delivery.sink);

const until = (fromMs: number, toMs: number, name = "nights"): TimeInterval => ({
  name,
  endsAt: (atMs) => (fromMs <= atMs && atMs < toMs ? toMs : undefined),
  startsAt: () => fromMs + 24 * HOUR_MS,
});

describe("choosing sinks", () => {
  it("asks a watch's own sinks and then not the tree", () => {
    expect(sinksOf(makeEvent("1"), { sinks: ["root"] }, { ownSinks: ["b", "a"] })).toEqual([
      "b",
      "a",
    ]);
  });

  it("asks a route's condition as well as its matchers", () => {
    const long = ({ body }: Pick<ReturnType<typeof makeEvent>, "body">) =>
      (body.tweet?.full_text.length ?? 0) > 5;
    const tree = { sinks: ["root"], routes: [{ sinks: ["a"], where: long }] };
    const withText = (full_text: string) =>
      makeEvent("1", { body: { tweet: { ...makeEvent("1").body.tweet, full_text } as never } });
    expect(sinksOf(withText("long enough"), tree)).toEqual(["a"]);
    expect(sinksOf(withText("short"), tree)).toEqual(["root"]);
    expect(sinksOf(makeEvent("1", { body: {} }), tree)).toEqual(["root"]);
  });

  it("gives the root what nothing else took", () => {
    const tree = { sinks: ["root"], routes: [{ matchers: ['team="comms"'], sinks: ["a"] }] };
    expect(sinksOf(makeEvent("1"), tree)).toEqual(["root"]);
    expect(sinksOf(makeEvent("1", { labels: { team: "comms" } }), tree)).toEqual(["a"]);
  });

  it("stops at the first child that took it, unless that one continues", () => {
    const first = { matchers: ['watch="brand"'], sinks: ["a"] };
    expect(sinksOf(makeEvent("1"), { sinks: ["root"], routes: [first, { sinks: ["b"] }] })).toEqual(
      ["a"],
    );
    expect(
      sinksOf(makeEvent("1"), {
        sinks: ["root"],
        routes: [{ ...first, continues: true }, { sinks: ["b"] }],
      }),
    ).toEqual(["a", "b"]);
  });

  it("takes sinks from the nearest ancestor that names any", () => {
    const tree = {
      sinks: ["root"],
      routes: [
        { sinks: ["a", "c"], matchers: ['watch="brand"'], routes: [{ matchers: ['lang="en"'] }] },
      ],
    };
    expect(sinksOf(makeEvent("1"), tree)).toEqual(["a", "c"]);
  });

  it("delivers once per sink, grouped as the first route that names it says", () => {
    const routes = [
      { sinks: ["a"], continues: true, groupBy: ["watch"], groupWaitMs: 5_000 },
      { sinks: ["a", "b"], groupWaitMs: 9_000 },
    ];
    const found = deliveriesOf(makeEvent("1"), { sinks: ["root"], routes });
    expect(found.map(({ sink, groupWaitMs }) => [sink, groupWaitMs])).toEqual([
      ["a", 5_000],
      ["b", 9_000],
    ]);
  });

  it("gives nothing to a sink that is configured no more, and goes on with the others", () => {
    expect(sinksOf(makeEvent("1"), { sinks: ["gone", "a"] })).toEqual(["a"]);
    expect(sinksOf(makeEvent("1"), undefined, { ownSinks: ["gone", "b"] })).toEqual(["b"]);
  });

  it("gives nothing without sinks and without a tree", () => {
    expect(deliveriesOf()).toEqual([]);
  });

  it("delivers at most once per sink, to sinks the tree names, and never drops an event under an unconditional root", () => {
    const sinks = fc.subarray(["a", "b", "c"]);
    const matchers = fc.subarray(
      ['watch="brand"', 'lang="de"', 'team=~"comms|x"', 'author!="alice"'],
      { maxLength: 2 },
    );
    const leaf = fc.record({ sinks, matchers, continues: fc.boolean() });
    const node = fc.record({
      sinks,
      matchers,
      continues: fc.boolean(),
      routes: fc.array(leaf, { maxLength: 3 }),
    });
    const labels = fc.record({
      lang: fc.constantFrom("de", "en"),
      team: fc.constantFrom("comms", ""),
    });
    fc.assert(
      fc.property(fc.array(node, { maxLength: 4 }), labels, (routes, wanted) => {
        const found = sinksOf(makeEvent("1", { labels: wanted }), { sinks: ["root"], routes });
        expect(found.length).toBeGreaterThan(0);
        expect(new Set(found).size).toBe(found.length);
      }),
    );
  });
});

describe("grouping", () => {
  it("makes every event its own group without group_by", () => {
    expect(deliveriesOf(makeEvent("1"), { sinks: ["a"] })[0]?.groupKey).toBe(makeEvent("1").id);
  });

  it("groups by route, sink and label values", () => {
    const tree = { sinks: ["a", "b"], groupBy: ["watch", "team"] };
    const keyOf = (subject: string, watch: string) =>
      deliveriesOf(makeEvent(subject, { watch }), tree).map((delivery) => delivery.groupKey);
    expect(keyOf("1", "brand")).toEqual(keyOf("2", "brand"));
    expect(keyOf("1", "brand")).not.toEqual(keyOf("1", "other"));
    expect(new Set(keyOf("1", "brand")).size).toBe(2);
  });

  it("never confuses values that join to the same text", () => {
    const keyOf = (team: string, lang: string) =>
      deliveriesOf(makeEvent("1", { labels: { team, lang } }), {
        sinks: ["a"],
        groupBy: ["team", "lang"],
      })[0]?.groupKey;
    expect(keyOf('x","y', "z")).not.toBe(keyOf("x", 'y","z'));
  });
});

describe("muted hours", () => {
  const nights = until(EVENT_TIME_MS - HOUR_MS, EVENT_TIME_MS + HOUR_MS);

  it("hold an event until they end", () => {
    expect(deliveriesOf(makeEvent("1"), { sinks: ["a"], mutes: [nights] })[0]).toMatchObject({
      notBeforeMs: EVENT_TIME_MS + HOUR_MS,
    });
  });

  it("hold it until the last of several that touch has ended", () => {
    const next = until(EVENT_TIME_MS + HOUR_MS, EVENT_TIME_MS + 3 * HOUR_MS);
    expect(
      deliveriesOf(makeEvent("1"), { sinks: ["a"], mutes: [next, nights] })[0]?.notBeforeMs,
    ).toBe(EVENT_TIME_MS + 3 * HOUR_MS);
  });

  it("hold what a group's wait would carry into them", () => {
    const soon = until(EVENT_TIME_MS + 5_000, EVENT_TIME_MS + HOUR_MS);
    const tree = { sinks: ["a"], mutes: [soon], groupWaitMs: 10_000 };
    expect(deliveriesOf(makeEvent("1"), tree)[0]?.notBeforeMs).toBe(EVENT_TIME_MS + HOUR_MS);
  });

  it("drop it with their name when the route says so", () => {
    const [muted] = deliveriesOf(makeEvent("1"), { sinks: ["a"], mutes: [nights], onMute: "drop" });
    expect(muted).toMatchObject({ mutedBy: "nights", notBeforeMs: EVENT_TIME_MS });
    expect(muted?.heldBy).toBeUndefined();
  });

  it("mean nothing outside them", () => {
    const past = until(0, EVENT_TIME_MS);
    const [delivery] = deliveriesOf(makeEvent("1"), { sinks: ["a"], mutes: [past] });
    expect(delivery?.notBeforeMs).toBe(EVENT_TIME_MS);
    expect(delivery?.mutedBy).toBeUndefined();
  });

  it("hold what was missed as well, which goes out as its digest when they end", () => {
    const [held] = deliveriesOf(
      makeEvent("1"),
      { sinks: ["slack"], mutes: [nights] },
      { gatherMs: 60_000 },
    );
    expect(held).toMatchObject({
      notBeforeMs: EVENT_TIME_MS + HOUR_MS,
      heldBy: "nights",
      groupWaitMs: 60_000,
    });
    expect(held?.groupKey).not.toBe(makeEvent("1").id);
    expect(held?.mutedBy).toBeUndefined();
  });

  it.each([
    ["a digest of what was missed", "tweet.created", { gatherMs: 60_000 }],
    ["a bundle", "follower.added", {}],
  ])("keep what they hold out of %s that other routes share", (_, type, changes) => {
    const groupKeyOf = (mutes: readonly TimeInterval[]) =>
      deliveriesOf(makeEvent("1", { type }), { sinks: ["slack"], mutes }, changes)[0]?.groupKey;
    expect(groupKeyOf([nights])).not.toBe(groupKeyOf([]));
    expect(groupKeyOf([nights])).toBe(groupKeyOf([nights]));
  });

  it("of a route do not concern a watch's own sinks", () => {
    const found = deliveriesOf(
      makeEvent("1"),
      { sinks: ["a"], mutes: [nights] },
      { ownSinks: ["a"] },
    );
    expect(found[0]?.notBeforeMs).toBe(EVENT_TIME_MS);
  });

  describe("of a sink", () => {
    const sinks = new Map([["a", { chat: false, mutes: [nights] }]]);
    const timeOf = (
      route: RouteChanges | undefined,
      changes: Partial<RoutingContext> = {},
      event = makeEvent("1"),
    ) => deliveriesOf(event, route, { sinks, ...changes })[0];

    it("concern whatever it gets, by a watch's own sink or by a route", () => {
      expect(timeOf(undefined, { ownSinks: ["a"] })).toMatchObject({
        notBeforeMs: EVENT_TIME_MS + HOUR_MS,
        heldBy: "nights",
      });
      expect(timeOf({ sinks: ["a"] })).toMatchObject({
        notBeforeMs: EVENT_TIME_MS + HOUR_MS,
        heldBy: "nights",
      });
    });

    it("give way, key by key, to what a route says", () => {
      expect(timeOf({ sinks: ["a"], onMute: "drop" })).toMatchObject({
        notBeforeMs: EVENT_TIME_MS,
        mutedBy: "nights",
      });
      expect(timeOf({ sinks: ["a"], mutes: [] })).toMatchObject({ notBeforeMs: EVENT_TIME_MS });
    });

    it("do not concern ops alerts", () => {
      const alert = { ...makeEvent("1", { type: "watch.gap" }), watchType: "daemon" };
      expect(timeOf(undefined, { ownSinks: ["a"] }, alert)).toMatchObject({
        notBeforeMs: EVENT_TIME_MS,
      });
      const asked = {
        sinks: ["root"],
        routes: [{ matchers: ['event="watch.gap"'], sinks: ["a"] }],
      };
      expect(timeOf(asked, {}, alert)).toMatchObject({ sink: "a", notBeforeMs: EVENT_TIME_MS });
    });
  });
});

describe("noise in chat", () => {
  it("delivers one tweet once, whichever watches found it", () => {
    const onceOf = (watch: string) =>
      deliveriesOf(makeEvent("1", { watch }), { sinks: ["slack"] })[0]?.once;
    expect(onceOf("brand")).toEqual({ key: "tweet:1", withinMs: 24 * HOUR_MS });
    expect(onceOf("other")?.key).toBe("tweet:1");
  });

  it("alerts on one account once, whether its watches name it by handle or by id", () => {
    const onceOf = (target: string) =>
      deliveriesOf(makeEvent("1", { type: "follower.added", labels: { target } }), {
        sinks: ["slack"],
      })[0]?.once?.key;
    expect(onceOf("acme")).toBe(onceOf("id:99"));
  });

  it("alerts again on a score that crosses again", () => {
    expect(
      deliveriesOf(makeEvent("5", { type: "score.changed" }), { sinks: ["slack"] })[0]?.once,
    ).toBeUndefined();
  });

  it("bundles followers of one target and poll, and no others", () => {
    const keyOf = (subject: string, changes = {}) =>
      deliveriesOf(makeEvent(subject, { type: "follower.added", ...changes }), {
        sinks: ["slack"],
      })[0]?.groupKey;
    expect(keyOf("1")).toBe(keyOf("2"));
    expect(keyOf("1")).toBe(keyOf("3", { type: "follower.removed" }));
    expect(keyOf("1")).not.toBe(keyOf("2", { detectedAtMs: EVENT_TIME_MS + 1 }));
    expect(keyOf("1")).not.toBe(keyOf("2", { body: { target: { id: "98" } } }));
  });

  it.each([
    "following.added",
    "member.removed",
    "retweeter.added",
    "user.found",
    "top_follower.entered",
    "top_following.left",
  ])("bundles %s as it does followers", (type) => {
    const keyOf = (subject: string) =>
      deliveriesOf(makeEvent(subject, { type }), { sinks: ["slack"] })[0];
    expect(keyOf("1")?.groupKey).toBe(keyOf("2")?.groupKey);
    expect(keyOf("1")?.once?.key).not.toBe(keyOf("2")?.once?.key);
  });

  it.each([
    ["follower.added", "follower.removed"],
    ["following.added", "following.removed"],
    ["member.added", "member.removed"],
    ["top_follower.entered", "top_follower.left"],
    ["top_following.entered", "top_following.left"],
  ])("knows that %s and %s undo each other", (type, opposite) => {
    const onceOf = (of: string) =>
      deliveriesOf(makeEvent("1", { type: of }), { sinks: ["slack"] })[0]?.once;
    expect(onceOf(type)?.undo?.key).toBe(onceOf(opposite)?.key);
    expect(onceOf(opposite)?.undo?.key).toBe(onceOf(type)?.key);
    expect(onceOf(type)?.undo?.summaryGroup).toBe(onceOf(opposite)?.undo?.summaryGroup);
  });

  it("leaves the grouping to a route that has one", () => {
    const [delivery] = deliveriesOf(makeEvent("1", { type: "follower.added" }), {
      sinks: ["slack"],
      groupBy: ["watch"],
    });
    expect(delivery?.groupKey).toBe('["0","slack","brand"]');
  });

  it("is none of a webhook's or the console's business", () => {
    const [delivery] = deliveriesOf(makeEvent("1", { type: "follower.added" }), { sinks: ["a"] });
    expect(delivery).toEqual({
      eventId: makeEvent("1", { type: "follower.added" }).id,
      sink: "a",
      groupKey: makeEvent("1", { type: "follower.added" }).id,
      groupWaitMs: 0,
      groupIntervalMs: 0,
      notBeforeMs: EVENT_TIME_MS,
      routed: { by: "route", route: "route" },
      about: { watchKey: "key-brand", subject: "1", target: "" },
    });
  });

  it("is counted by sink, or by a route with a throttle of its own", () => {
    const throttle = {
      limit: 5,
      intervalMs: 1_000,
      onExceed: "digest",
      digestIntervalMs: 1_000,
    } as const;
    expect(deliveriesOf(makeEvent("1"), undefined, { ownSinks: ["slack"] })[0]?.throttleKey).toBe(
      "sink:slack",
    );
    const tree = makeRoute({ sinks: ["slack", "a"], throttle });
    const keys = routeEvent(makeEvent("1"), { ownSinks: [], tree, sinks: SINKS, nowMs: 0 }).map(
      (delivery) => delivery.throttleKey,
    );
    expect(new Set(keys).size).toBe(2);
    const throttles = throttlesByKey(tree, SINKS);
    expect(keys.map((key) => throttles.get(key ?? ""))).toEqual([throttle, throttle]);
    expect(throttles.get("sink:slack")?.limit).toBe(30);
  });

  it("is counted by a route with a throttle of its own also where it inherits its sinks", () => {
    const throttle = {
      limit: 5,
      intervalMs: 1_000,
      onExceed: "digest",
      digestIntervalMs: 1_000,
    } as const;
    const tree = makeRoute({
      sinks: ["slack", "a"],
      routes: [{ routes: [{ matchers: ['watch="brand"'], throttle }] }],
    });
    const keys = routeEvent(makeEvent("1"), { ownSinks: [], tree, sinks: SINKS, nowMs: 0 }).map(
      (delivery) => delivery.throttleKey,
    );
    const throttles = throttlesByKey(tree, SINKS);
    expect(keys.map((key) => throttles.get(key ?? ""))).toEqual([throttle, throttle]);
  });
});

it("throttles are those of sinks that have one, and of routes that have one, for each of their sinks", () => {
  expect([...throttlesByKey(undefined, SINKS).keys()]).toEqual(["sink:slack"]);
  const throttle = {
    limit: 5,
    intervalMs: 1_000,
    onExceed: "digest",
    digestIntervalMs: 1_000,
  } as const;
  const tree = makeRoute({
    throttle,
    routes: [{ sinks: ["a", "slack"], routes: [{ throttle }] }, { sinks: ["b"] }],
  });
  expect([...throttlesByKey(tree, SINKS).keys()]).toEqual([
    "sink:slack",
    "route:0.0.0:a",
    "route:0.0.0:slack",
  ]);
});

describe("the daemon's own events", () => {
  const tree = {
    sinks: ["root"],
    routes: [
      { sinks: ["a"], matchers: ['severity!=""'] },
      { sinks: ["b"], matchers: ['event!="tweet.created"'] },
      {
        sinks: ["c"],
        matchers: ['event=~"watch[.].*"'],
        routes: [{ matchers: ['type="daemon"'], sinks: ["slack"] }],
      },
    ],
  };

  it("go to ops alone, unless a route asks for them by name", () => {
    expect(sinksOf(makeOpsAlert("sink.failing"), tree, { ownSinks: ["slack"] })).toEqual(["slack"]);
    expect(sinksOf(makeOpsAlert("watch.gap"), tree, { ownSinks: ["a"] })).toEqual(["a", "slack"]);
    expect(sinksOf(makeOpsAlert("watch.gap"), tree)).toEqual(["slack"]);
  });

  it("go to routes that match them by an exact name or a pattern, and to none that matches only other labels", () => {
    const asking = (matcher: string) =>
      sinksOf(makeOpsAlert("watch.gap"), {
        sinks: ["root"],
        routes: [{ sinks: ["a"], matchers: [matcher] }],
      });
    expect(asking('event="watch.gap"')).toEqual(["a"]);
    expect(asking('event=~"watch.*"')).toEqual(["a"]);
    for (const other of ['type="daemon"', 'event!~"tweet.*"', 'severity="info"'])
      expect(asking(other)).toEqual([]);
  });

  it("never go through the sink they are about", () => {
    expect(
      sinksOf(makeOpsAlert("watch.gap"), tree, { ownSinks: ["a", "slack"], exceptSink: "slack" }),
    ).toEqual(["a"]);
  });

  it("wait a minute for more of their kind where they are about targets, and for nothing else", () => {
    const of = (type: string) =>
      deliveriesOf(makeOpsAlert(type), undefined, { ownSinks: ["slack"] })[0];
    expect(of("target.renamed")).toMatchObject({
      groupKey: of("target.renamed")?.groupKey,
      groupWaitMs: 60_000,
    });
    expect(of("target.renamed")?.groupKey).not.toBe(of("target.available")?.groupKey);
    expect(of("upstream.dark")).toMatchObject({
      groupKey: makeOpsAlert("upstream.dark").id,
      groupWaitMs: 0,
    });
    const tree = { sinks: ["root"], routes: [{ matchers: ['event=~"target.*"'], sinks: ["a"] }] };
    expect(deliveriesOf(makeOpsAlert("target.renamed"), tree)[0]).toMatchObject({
      sink: "a",
      groupWaitMs: 60_000,
    });
  });

  it("are neither throttled nor limited to one a day", () => {
    const [delivery] = deliveriesOf(makeOpsAlert("watch.gap"), undefined, { ownSinks: ["slack"] });
    expect(delivery).toMatchObject({ groupKey: makeOpsAlert("watch.gap").id });
    expect(delivery?.throttleKey ?? delivery?.once).toBeUndefined();
  });
});

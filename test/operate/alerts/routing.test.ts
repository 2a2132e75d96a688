/**
 * Tests where a configuration sends alerts, and how the first log lines after a start name that
 * place.
 */
import { expect, it } from "vitest";
import { createRouting } from "../../../src/operate/alerts/routing.ts";
import { goodConfig } from "../../config/load-text.ts";
import { makeEvent, makeOpsAlert } from "../../support/make-event.ts";
import { makeWatch } from "../../support/make-watch.ts";

const SLACK = { type: "slack", token: "t" };
const SINKS = {
  brand: { ...SLACK, channel: "#brand" },
  rest: { ...SLACK, channel: "#rest" },
  terminal: { type: "console" },
};

const routingOf = async (more: object) =>
  createRouting(
    await goodConfig(
      JSON.stringify({
        version: 1,
        watches: { w: { type: "search", query: "acme", sink: "brand" } },
        sinks: SINKS,
        ops: { sink: ["terminal", "rest"] },
        ...more,
      }),
    ),
    () => [],
  );
const watchTo = (...sinks: readonly string[]) =>
  makeWatch("w", "search", { query: "acme" }, { sinks });

it("names a watch's own sinks, or those of the route, or the route tree with its default, or none", async () => {
  const tree = { sink: ["brand", "rest"], routes: [{ matchers: ['watch="w"'], sink: "terminal" }] };
  expect((await routingOf({})).describe(watchTo())).toBe("no sink");
  expect((await routingOf({ route: { sink: ["brand", "rest"] } })).describe(watchTo())).toBe(
    "#brand and #rest",
  );
  expect((await routingOf({ route: tree })).describe(watchTo())).toBe(
    "the route tree (else #brand and #rest)",
  );
  expect((await routingOf({ route: tree })).describe(watchTo("terminal", "rest"))).toBe(
    "console and #rest",
  );
});

it("sends an alert to the watch's own sinks, and gathers what was missed for chats: so long as is said, or for a minute", async () => {
  const routing = await routingOf({});
  const evaluated = { event: makeEvent("1"), ownSinks: ["brand"] };
  const own = { sink: "brand", groupKey: evaluated.event.id, groupWaitMs: 0 };
  expect(routing.routeOf(evaluated, 5, 70)).toMatchObject([own]);
  expect(routing.routeOf({ ...evaluated, isMissed: false }, 5, 70)).toMatchObject([own]);
  expect(routing.routeOf({ ...evaluated, isMissed: true }, 5, 70)).toMatchObject([
    { sink: "brand", groupWaitMs: 70, notBeforeMs: 5 },
  ]);
  expect(routing.routeOf({ ...evaluated, isMissed: true }, 5)).toMatchObject([
    { sink: "brand", groupWaitMs: 60_000 },
  ]);
});

it("an ops alert goes to the sinks of ops and to routes that ask for it, but never to the sink that it is about", async () => {
  const routing = await routingOf({
    route: { sink: "rest", routes: [{ matchers: ['event="sink.failing"'], sink: "brand" }] },
  });
  const sinksOf = (exceptSink?: string) =>
    routing.routeOpsAlert(makeOpsAlert("sink.failing"), exceptSink, 5).map(({ sink }) => sink);
  expect(sinksOf()).toEqual(["terminal", "rest", "brand"]);
  expect(sinksOf("rest")).toEqual(["terminal", "brand"]);
});

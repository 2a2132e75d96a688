/** Tests which silence holds an event back, and what routing does with the event. */
import { describe, expect, it } from "vitest";
import { parseMatcher } from "../../src/route/matcher.ts";
import { compilePattern } from "../../src/route/pattern.ts";
import { routeEvent } from "../../src/route/route-event.ts";
import { findSilence, type Silence } from "../../src/route/silence.ts";
import { EVENT_TIME_MS as NOW_MS, makeEvent, makeOpsAlert } from "../support/make-event.ts";

const silence = (id: string, matchers: readonly string[], endsAtMs = NOW_MS + 1): Silence => ({
  id,
  ...{ kind: "silence", sinks: [] },
  endsAtMs,
  matchers: matchers.map((text) => {
    const matcher = parseMatcher(text, compilePattern);
    return typeof matcher === "string" ? expect.unreachable(matcher) : matcher;
  }),
});

const found = (
  silences: readonly Silence[],
  event = makeEvent("1", { labels: { team: "comms" } }),
) => findSilence(silences, event, { sink: "hook", nowMs: NOW_MS })?.id;

describe("findSilence", () => {
  it("wants every matcher of a silence to match, and takes the first silence that does", () => {
    expect(
      found([
        silence("1", ['team="press"']),
        silence("2", ['team=~"com.*"']),
        silence("3", ['team="comms"']),
      ]),
    ).toBe("2");
    expect(found([silence("1", ['team="comms"', 'watch="other"'])])).toBeUndefined();
    expect(found([])).toBeUndefined();
  });

  it("holds until its end, that moment excluded", () => {
    expect(found([silence("1", ['team="comms"'], NOW_MS + 1)])).toBe("1");
    expect(found([silence("1", ['team="comms"'], NOW_MS)])).toBeUndefined();
    expect(found([silence("1", ['team="comms"'], NOW_MS), silence("2", ['team="comms"'])])).toBe(
      "2",
    );
  });

  it.each([
    [['severity=~".*"'], undefined],
    [['event!="tweet.created"'], undefined],
    [['event="sink.failing"', 'severity="critical"'], undefined],
    [['type="daemon"'], undefined],
    [['event="sink.failing"'], "1"],
    [['event=~"sink[.].*"'], "1"],
  ])("of the daemon's own events %j holds back what it asks for by name", (matchers, expected) => {
    const alert = makeOpsAlert("sink.failing");
    expect(found([silence("1", matchers)], alert)).toBe(expected);
  });
});

it("routing marks every delivery of a silenced event with the silence, and changes nothing else", () => {
  const sinks = new Map(["a", "b"].map((name) => [name, { chat: true }] as const));
  const context = { ownSinks: ["a", "b"], tree: undefined, sinks, nowMs: NOW_MS };
  const plain = routeEvent(makeEvent("1"), context);
  const silenced = routeEvent(makeEvent("1"), {
    ...context,
    silences: [silence("7", ['watch="brand"'])],
  });
  expect(silenced).toEqual(plain.map((delivery) => ({ ...delivery, silencedBy: "7" })));
  expect(
    routeEvent(makeEvent("1"), { ...context, silences: [silence("7", ['watch="other"'])] }),
  ).toEqual(plain);
});

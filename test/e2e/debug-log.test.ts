/** Tests what the debug log says about a tweet's way to a sink, and how much of it. */
import { describe, expect, it } from "vitest";
import { runCommand } from "../support/run-command.ts";
import { until } from "../support/until.ts";
import { cleanUpAfterwards, noted, createFixture } from "./fixture.ts";

cleanUpAfterwards();

const DEBUG = { CHIRPWATCH_LOG_LEVEL: "debug" };

describe.concurrent("the log", () => {
  it("at debug joins plan, poll, requests, events, routes and messages of a tweet by one id, and of no other", async () => {
    const fixture = await createFixture();
    fixture.configure({
      watches: {
        w: { type: "search", query: "acme", strategy: "single" },
        other: { type: "search", query: "other", strategy: "single" },
      },
    });
    const daemon = await fixture.start(DEBUG);
    await Promise.all([noted(daemon, "w"), noted(daemon, "other")]);
    const [tweet] = fixture.api.post("search:acme", 1);
    fixture.api.post("search:other", 1);
    const lines = () => daemon.log();
    const routed = await until(
      "a route",
      () => lines().find(({ msg, subject }) => msg === "event routed" && subject === tweet),
      daemon.err,
    );
    const { trace } = routed;
    const ofTrace = () => lines().filter((line) => line["trace"] === trace);
    const isLogged = (what: string): boolean => ofTrace().some(({ msg }) => msg === what);
    await until(
      "its message and the end of its poll",
      () => isLogged("message sent") && isLogged("poll finished"),
      daemon.err,
    );
    const alerted = ofTrace();
    expect(alerted.map(({ msg }) => msg).filter((msg) => !msg.startsWith("message"))).toEqual([
      "poll started",
      "request answered",
      "event routed",
      "poll finished",
    ]);
    const find = (what: string) => alerted.find(({ msg }) => msg === what);
    expect(routed).toMatchObject({
      level: "debug",
      type: "tweet.created",
      watch: "w",
      sinks: ["hook"],
    });
    expect(find("request answered")).toMatchObject({
      endpoint: "search-tweets",
      watch: "w",
      page: "first",
    });
    expect(find("poll finished")).toMatchObject({ new_items: 1, events: 1 });
    expect(find("message sealed")).toMatchObject({ sink: "hook", event_ids: [routed["event"]] });
    expect(find("message sent")).toMatchObject({
      message: find("message sealed")?.["message"],
      attempt: 1,
    });
    const source = find("poll started")?.["source"];
    expect(
      lines().filter((line) => line.msg === "poll planned" && line["source"] === source),
    ).toMatchObject([{ watch: "w", endpoint: "search-tweets" }]);
  });

  it("carries the id of an account's group to the events of its members, and failed attempts with their cause", async () => {
    const fixture = await createFixture();
    const ids = ["alice", "bob"].map((name) => fixture.api.account(name));
    fixture.configure({
      watches: { w: { type: "timeline", accounts: ["alice", "bob"], strategy: "probe" } },
    });
    const daemon = await fixture.start(DEBUG);
    await noted(daemon, "w");
    fixture.hook.answer((_, response) => response.writeHead(503).end());
    const [tweet] = fixture.api.post(`user:${ids[0]}`, 1);
    const routed = await until(
      "a route",
      () => daemon.log().find((line) => line["subject"] === tweet && line.msg === "event routed"),
      daemon.err,
    );
    const ofTrace = (msg: string) =>
      daemon.log().filter((line) => line["trace"] === routed["trace"] && line.msg === msg);
    await until("a failed attempt", () => ofTrace("message not sent").length > 0, daemon.err);
    expect(ofTrace("message not sent")[0]).toMatchObject({
      outcome: "retry",
      error: expect.stringContaining("503"),
    });
    expect(ofTrace("request answered").map(({ endpoint }) => endpoint)).toContain("info-batch");
    expect(ofTrace("poll started").length).toBeGreaterThan(1);
  });

  it.each(["", "  "])("with the level %j is as without one", async (level) => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const daemon = await fixture.start({ CHIRPWATCH_LOG_LEVEL: level });
    await noted(daemon, "w");
    expect(daemon.log().filter((line) => line.level === "debug")).toEqual([]);
  });

  it("with a level that does not exist ends with one sentence that names it and the cure", async () => {
    const fixture = await createFixture();
    fixture.configure({ watches: { w: { type: "search", query: "acme" } } });
    const { code, err } = await runCommand(["run", "-c", "watches.yaml"], {
      cwd: fixture.folder,
      env: { CHIRPWATCH_LOG_LEVEL: "verbose" },
    });
    expect([code, err.trim().split("\n")]).toEqual([
      78,
      [
        'CHIRPWATCH_LOG_LEVEL is "verbose", which is not a log level',
        "Write debug, info, warn, error, silent, or leave it empty for info.",
      ],
    ]);
  });
});

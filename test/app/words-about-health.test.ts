/**
 * Tests that normal states are not called trouble: accounts without an index, and sinks that ask to
 * wait or cannot be checked. Also tests that polls of values count as noted.
 */
import { describe, expect, it } from "vitest";
import { verifySinks, type Delivery } from "../../src/app/delivering/delivery.ts";
import { SinkError } from "../../src/model/sink.ts";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;

describe("accounts that the service has not indexed", () => {
  const setUp = () =>
    startInnerDaemon({
      watches: () => ({
        scores: {
          type: "score_delta",
          accounts: ["acme", "not_there"],
          when: { week_delta: ">= 25" },
        },
        alone: { type: "score_delta", accounts: ["not_there"], when: { week_delta: ">= 25" } },
      }),
      prepare: (ask) => ask("accounts", { username: "not_there", indexed: false }),
    });

  it("are a fact of the watch: no problem, no warning, no failed poll, no stale success", async () => {
    const daemon = await setUp();
    await daemon.clock.advance(3 * 60 * MINUTE);
    const { state, reasons, watches } = await daemon.status();
    expect([state, reasons]).toEqual(["running", []]);
    expect(watches.map(({ problem }) => problem)).toEqual(["", ""]);
    expect(watches[0]?.targets.map(({ status }) => status)).toEqual(["ok", "not_indexed"]);
    const alarming = daemon.logged.filter(
      ({ level, fields }) =>
        level !== "info" && level !== "debug" && JSON.stringify(fields).includes("scores"),
    );
    expect(alarming).toEqual([]);
    expect(daemon.opsAlerts()).toEqual([]);
    expect(
      await daemon.metric("chirpwatch_polls_total", 'type="score_delta",outcome="failed"'),
    ).toBeUndefined();
    const lastMs =
      ((await daemon.metric("chirpwatch_watch_last_success_timestamp_seconds", 'watch="alone"')) ??
        0) * 1_000;
    expect(daemon.clock.now() - lastMs).toBeLessThanOrEqual(61 * MINUTE);
  });
});

it("readings count as items noted, in the first line and in the status", async () => {
  const daemon = await startInnerDaemon({
    watches: () => ({
      values: { type: "profile", accounts: ["acme", "bob"] },
      places: { type: "trends", woeid: 1 },
    }),
  });
  await daemon.clock.advance(MINUTE);
  const lines = daemon.logged.map(({ message }) => message);
  expect(lines).toContainEqual(expect.stringMatching(/^values: 2 items noted, next poll/));
  expect(lines).toContainEqual(expect.stringMatching(/^places: 1 items noted, next poll/));
  expect((await daemon.status()).watches.map(({ known_items: count }) => count)).toEqual([2, 1]);
});

describe("the check of credentials at the start", () => {
  const logged = async (error: unknown): Promise<readonly (readonly unknown[])[]> => {
    const lines: (readonly unknown[])[] = [];
    const take = (level: string) => (message: string, fields: unknown) =>
      void lines.push([level, message, fields]);
    const log = {
      debug: take("debug"),
      info: take("info"),
      warn: take("warn"),
      error: take("error"),
      child: () => log,
    };
    const check = () => Promise.reject(error);
    const delivery = {
      sinks: new Map([["chat", { type: { check }, config: { settings: {} } }]]),
    } as unknown as Delivery;
    await verifySinks(delivery, { log } as never);
    return lines;
  };

  it("says that a sink refuses them only when it does, with the cure", async () => {
    const refusal = new SinkError("destination", "Slack refuses #x: invalid_auth", 200, {
      hint: "Put a valid bot token into it.",
    });
    expect(await logged(refusal)).toEqual([
      [
        "warn",
        "a sink refuses its credentials",
        {
          sink: "chat",
          error: "Slack refuses #x: invalid_auth",
          hint: "Put a valid bot token into it.",
        },
      ],
    ]);
  });

  it("says of a sink that could not be reached just that, and where to look", async () => {
    const error = new SinkError(
      "transient",
      "Slack could not be reached: the host name could not be resolved",
    );
    expect(await logged(error)).toEqual([
      [
        "warn",
        "a sink could not be asked whether its credentials are good",
        {
          sink: "chat",
          error: error.message,
          hint: "If this continues, look for the cause at the receiver.",
        },
      ],
    ]);
  });

  it("does not call a 429 trouble", async () => {
    const error = new SinkError("rate_limited", "Slack asks to wait 30 s", 429, {
      retry: { afterMs: 30_000 },
    });
    expect((await logged(error)).map(([level]) => level)).toEqual(["info"]);
  });
});

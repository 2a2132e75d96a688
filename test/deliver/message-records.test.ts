/** What is remembered of messages until they are done: for the debug log, and for the delays. */
import { describe, expect, it } from "vitest";
import { createDelays } from "../../src/deliver/logs/delays.ts";
import type { ClaimedMessage } from "../../src/deliver/queue/sink-queue.ts";
import { createMessageLog } from "../../src/deliver/logs/message-log.ts";
import type { LogFields } from "../../src/model/log.ts";
import type { DeliveryResult, NewMessage } from "../../src/model/outbox.ts";
import type { OutboxEvent } from "../../src/model/sink.ts";
import { EVENT_TIME_MS as T0, makeEvent } from "../support/make-event.ts";

const claimed = (id: string, attempts = 0) =>
  ({ queue: { name: "hook" }, message: { id, attempts } }) as unknown as ClaimedMessage;
const message = (id: string) => ({ id, sink: "hook" }) as NewMessage;
const eventsOf = (...ids: readonly string[]): OutboxEvent[] =>
  ids.map((id) => ({
    event: makeEvent(id, { id, occurredAtMs: T0 - 60_000, detectedAtMs: T0 - 10_000 }),
    watches: [],
  }));
const sent = (messageId: string, ref?: string): DeliveryResult => ({
  messageId,
  kind: "sent",
  atMs: T0,
  ...(ref !== undefined && { ref }),
});
const retry = (messageId: string): DeliveryResult => ({
  messageId,
  kind: "retry",
  atMs: T0,
  nextAttemptAtMs: T0,
  error: "503",
  countAttempt: true,
});
const dead = (messageId: string): DeliveryResult => ({
  messageId,
  kind: "dead",
  atMs: T0,
  error: "no",
  cause: "refused 400",
  countAttempt: true,
});

describe("the debug log of messages", () => {
  const setUp = (runsOf?: (ids: readonly string[]) => readonly string[]) => {
    const lines: [string, LogFields | undefined][] = [];
    const debug = (text: string, fields?: LogFields) => void lines.push([text, fields]);
    const other = () => expect.fail("only debug lines");
    const log = { debug, info: other, warn: other, error: other, child: () => log };
    return {
      lines,
      log: createMessageLog(log, runsOf === undefined ? undefined : { ofEvents: runsOf }),
    };
  };

  it("joins a message to the run that found its events until it is done, over its attempts", () => {
    const { lines, log } = setUp((ids) => ids.map((id) => `run of ${id}`));
    log.sealed(message("m"), eventsOf("e"));
    log.settled(claimed("m"), retry("m"));
    log.settled(claimed("m", 1), sent("m", "r"));
    log.settled(claimed("m", 2), sent("m"));
    const about = { message: "m", sink: "hook" };
    expect(lines).toEqual([
      ["message sealed", { trace: "run of e", ...about, events: 1, event_ids: ["e"] }],
      [
        "message not sent",
        { trace: "run of e", ...about, attempt: 1, outcome: "retry", error: "503" },
      ],
      ["message sent", { trace: "run of e", ...about, attempt: 2, ref: "r" }],
      ["message sent", { ...about, attempt: 3 }],
    ]);
  });

  it("names twenty events and runs of a digest, and forgets what was given up", () => {
    const ids = Array.from({ length: 25 }, (_, i) => `e${i}`);
    const { lines, log } = setUp((asked) => asked);
    log.sealed(message("m"), eventsOf(...ids));
    log.settled(claimed("m"), dead("m"));
    log.settled(claimed("m"), dead("m"));
    const shown = ids.slice(0, 20);
    const outcome = { message: "m", sink: "hook", attempt: 1, outcome: "dead", error: "no" };
    expect(lines).toEqual([
      [
        "message sealed",
        { trace: shown, message: "m", sink: "hook", events: 25, event_ids: shown },
      ],
      ["message not sent", { trace: shown, ...outcome }],
      ["message not sent", outcome],
    ]);
  });

  it("says nothing of runs where none is known", () => {
    for (const runsOf of [undefined, () => []]) {
      const { lines, log } = setUp(runsOf);
      log.sealed(message("m"), eventsOf("e"));
      expect(lines).toEqual([
        ["message sealed", { message: "m", sink: "hook", events: 1, event_ids: ["e"] }],
      ]);
    }
  });

  it("remembers ten thousand messages that wait, and no more", () => {
    const { lines, log } = setUp(() => ["run"]);
    for (let i = 0; i <= 10_000; i += 1) log.sealed(message(`m${i}`), []);
    lines.length = 0;
    for (const id of ["m9999", "m10000"]) log.settled(claimed(id), retry(id));
    expect(lines.map(([, fields]) => fields?.["trace"])).toEqual(["run", undefined]);
  });
});

describe("the delays", () => {
  const setUp = () => {
    const counted: [string, unknown][] = [];
    const observed: [string, number, unknown][] = [];
    const meter = {
      count: (name: string, labels?: unknown) => void counted.push([name, labels]),
      set: () => undefined,
      observe: (name: string, value: number, labels?: unknown) =>
        void observed.push([name, value, labels]),
    };
    return { counted, observed, delays: createDelays(meter) };
  };

  it("of each event are measured once, when its message is sent: since it happened, and since it was detected", () => {
    const { observed, delays } = setUp();
    delays.remember("m", eventsOf("a", "b"));
    delays.settled(claimed("m"), retry("m"));
    expect(observed).toEqual([]);
    delays.settled(claimed("m"), sent("m"));
    delays.settled(claimed("m"), sent("m"));
    const one = [
      ["chirpwatch_delivery_delay_seconds", 60, { sink: "hook" }],
      ["chirpwatch_added_delay_seconds", 10, { sink: "hook" }],
    ];
    expect(observed).toEqual([...one, ...one]);
  });

  it("are not measured of what is given up, or was sealed by an earlier process; its outcome is counted", () => {
    const { counted, observed, delays } = setUp();
    delays.remember("m", eventsOf("a"));
    delays.settled(claimed("m"), dead("m"));
    delays.settled(claimed("m"), sent("m"));
    delays.settled(claimed("other"), sent("other"));
    delays.settled(claimed("other"), retry("other"));
    expect(observed).toEqual([]);
    const outcome = (value: string) => [
      "chirpwatch_deliveries_total",
      { sink: "hook", outcome: value },
    ];
    expect(counted).toEqual([
      outcome("dead"),
      ["chirpwatch_dead_letters_total", { sink: "hook" }],
      outcome("sent"),
      outcome("sent"),
      outcome("retried"),
    ]);
  });

  it("of twenty thousand messages that wait are remembered, and of no more", () => {
    const { observed, delays } = setUp();
    for (let i = 0; i <= 20_000; i += 1) delays.remember(`m${i}`, eventsOf("a"));
    delays.settled(claimed("m20000"), sent("m20000"));
    expect(observed).toEqual([]);
    delays.settled(claimed("m19999"), sent("m19999"));
    expect(observed).toHaveLength(2);
  });
});

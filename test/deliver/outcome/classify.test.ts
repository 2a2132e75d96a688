/** What an attempt means for its message. */
import { describe, expect, it } from "vitest";
import { classifyAttempt } from "../../../src/deliver/outcome/classify.ts";
import type { Attempt } from "../../../src/deliver/stages/send.ts";
import { SinkError } from "../../../src/model/sink.ts";
import { EVENT_TIME_MS as T0 } from "../../support/make-event.ts";

const HOUR = 3_600_000;
const steady = { float: () => 0.5, id: () => "id" };

type Ended = Exclude<Attempt, { kind: "aborted" | "held" }>;

const claimOf = (
  message: { attempts?: number; firstAttemptAtMs?: number | null } = {},
  refusals = 0,
): Ended["claimed"] =>
  ({
    message: { id: "m", attempts: 0, firstAttemptAtMs: null, sealedAtMs: T0 - 60_000, ...message },
    queue: {
      name: "hook",
      retryForMs: HOUR,
      waits: { row: { count: refusals, sinceMs: 0, untilMs: 0 } },
    },
  }) as unknown as Ended["claimed"];

const failed = (error: SinkError, message = {}, refusals = 0): Ended => ({
  kind: "failed",
  claimed: claimOf(message, refusals),
  atMs: T0,
  sentAtMs: 0,
  error,
});
const down = new SinkError("transient", "503", 503);
const limited = (afterMs: number) =>
  new SinkError("rate_limited", "slow down", 429, { retry: { afterMs } });
const about = { messageId: "m", atMs: T0 };

describe("a message", () => {
  it("that was taken is sent, with what the sink says of it", () => {
    const taken: Ended = {
      kind: "accepted",
      claimed: claimOf(),
      atMs: T0,
      receipt: { ref: "r", crosspost: true },
    };
    expect(classifyAttempt(taken, "closed", steady)).toEqual({
      ...about,
      kind: "sent",
      ref: "r",
      crosspost: true,
    });
  });

  it("that failed is tried again by its own schedule, which goes on with each attempt", () => {
    const waits = [0, 1, 2, 3].map((attempts) =>
      classifyAttempt(failed(down, { attempts, firstAttemptAtMs: T0 - 30_000 }), "closed", steady),
    );
    expect(waits).toEqual(
      [1_000, 2_000, 5_000, 15_000].map((waitMs) => ({
        ...about,
        kind: "retry",
        nextAttemptAtMs: T0 + waitMs,
        error: "503",
        countAttempt: true,
      })),
    );
  });

  it("that failed behind an open breaker keeps its place and uses up no step", () => {
    const retry = {
      ...about,
      kind: "retry",
      nextAttemptAtMs: T0 - 60_000,
      error: "503",
      countAttempt: false,
    };
    expect(classifyAttempt(failed(down), "open", steady)).toEqual(retry);
  });

  it.each([
    ["closed", limited(30_000), 1, false],
    ["closed", new SinkError("rate_limited", "slow down", 429), 2, false],
    ["closed", limited(30_000), 3, true],
    ["open", limited(30_000), 3, false],
  ] as const)(
    "that the sink asked to bring later keeps its place: breaker %s, %s, refusal %i in a row",
    (breaker, error, count, counts) => {
      const retry = {
        ...about,
        kind: "retry",
        nextAttemptAtMs: T0 - 60_000,
        error: "slow down",
        countAttempt: counts,
      };
      expect(classifyAttempt(failed(error, {}, count), breaker, steady)).toEqual(retry);
    },
  );

  it("is given up at the end of retry_for, also where the sink asks to wait", () => {
    const since = { attempts: 9, firstAttemptAtMs: T0 - HOUR };
    const dead = { ...about, kind: "dead", cause: "expired", countAttempt: true };
    expect(classifyAttempt(failed(down, since), "closed", steady)).toEqual({
      ...dead,
      error: "503",
    });
    expect(classifyAttempt(failed(limited(5_000), since), "closed", steady)).toEqual({
      ...dead,
      error: "slow down",
    });
  });

  it("that is refused is given up at once: by the sink's own code, else its status, else its content", () => {
    const causeOf = (...args: ConstructorParameters<typeof SinkError>) =>
      classifyAttempt(failed(new SinkError(...args)), "closed", steady);
    const dead = { ...about, kind: "dead", error: "no", countAttempt: true };
    expect(causeOf("message", "no", 400, { fields: { refusal: "msg_too_long" } })).toEqual({
      ...dead,
      cause: "refused msg_too_long",
    });
    expect(causeOf("message", "no", 400, { fields: { refusal: 7 } })).toEqual({
      ...dead,
      cause: "refused 400",
    });
    expect(causeOf("message", "no")).toEqual({ ...dead, cause: "refused content" });
    expect(causeOf("message", "no", undefined, { fields: { unsent: true } })).toEqual({
      ...dead,
      cause: "unrendered",
    });
  });
});

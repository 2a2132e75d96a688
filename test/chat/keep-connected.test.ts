/**
 * Tests clients that fail in every way that they can: the status reports it, the next connection is
 * tried after growing pauses, and nothing else is affected.
 */
import { expect, it } from "vitest";
import {
  type ChatConnection,
  ChatError,
  type Click,
  type ConnectionListener,
  type OpenConnection,
} from "../../src/chat/clicks/click.ts";
import { keepConnected } from "../../src/chat/keep-connected.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

type Open = (listener: ConnectionListener, signal: AbortSignal) => Promise<OpenConnection>;

const OPENED: OpenConnection = { close: async () => undefined };

function setUp(open: Open) {
  const clock = createVirtualClock(Date.UTC(2026, 4, 5));
  const raised: string[] = [];
  const cleared: string[] = [];
  const clicks: Click[] = [];
  const opensMs: number[] = [];
  const connection: ChatConnection = {
    vendor: "slack",
    open: (listener, signal) => {
      opensMs.push(clock.monotonic());
      return open(listener, signal);
    },
  };
  const kept = keepConnected(
    {
      ...{ clock, log: rememberingLog() },
      opsAlerts: {
        raise: async ({ message }) => void raised.push(message),
        clear: async (key) => void cleared.push(key),
      },
      clicked: (click) => void clicks.push(click),
    },
    connection,
  );
  const waitsMs = () => opensMs.slice(1).map((atMs, n) => atMs - (opensMs[n] ?? 0));
  return { clock, kept, raised, cleared, clicks, waitsMs, opens: () => opensMs.length };
}

it.each([
  ["rejects", () => Promise.reject(new Error("no"))],
  ["fails by a mistake of its own", () => Promise.reject(new TypeError("undefined is no socket"))],
  ["rejects with no error", () => Promise.reject("no")],
  ["rejects with nothing", () => Promise.reject(undefined)],
  [
    "throws before it returns",
    () => {
      throw new Error("Failed to send a WebSocket message as the client is not ready");
    },
  ],
] as const)("goes on where a client %s", async (_, open) => {
  const { clock, kept, raised, waitsMs } = setUp(open as Open);
  await clock.advance(100_000);
  expect(kept.isConnected).toBe(false);
  expect(kept.trouble).toMatch(/^Clicks below messages in Slack are not received: ./);
  expect(raised[0]).toBe(kept.trouble);
  expect(waitsMs()).toEqual([0, 1_000, 2_000, 5_000, 15_000, 60_000]);
  await kept.stop();
  await clock.advance(600_000);
  expect(waitsMs()).toHaveLength(6);
});

it("gives up a connection that never opens, and one that opens only after the stop is closed", async () => {
  let closed = 0;
  const late: ((open: OpenConnection) => void)[] = [];
  const { clock, kept, opens } = setUp(() => new Promise((resolve) => late.push(resolve)));
  await clock.advance(1_000);
  expect(opens()).toBe(1);
  await kept.stop();
  late[0]?.({ close: async () => void (closed += 1) });
  await clock.advance(60_000);
  expect([opens(), closed, kept.isConnected]).toEqual([1, 1, false]);
});

it("aborts an attempt after half a minute, and the client hears of it", async () => {
  const { clock, kept, opens } = setUp(
    (_, signal) =>
      new Promise((__, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  await clock.advance(95_000);
  expect(opens()).toBeGreaterThanOrEqual(3);
  expect(kept.trouble).toContain("no connection within 30 s");
  await kept.stop();
});

it("waits for nothing where a client never closes, or throws as it closes", async () => {
  for (const close of [
    () => new Promise<void>(() => {}),
    () => Promise.reject(new Error("disconnect while connecting")),
    () => {
      throw new Error("disconnect while connecting");
    },
  ]) {
    const { clock, kept } = setUp(async () => ({ close }));
    await clock.advance(1_000);
    expect(kept.isConnected).toBe(true);
    let isStopped = false;
    void kept.stop().then(() => (isStopped = true));
    await clock.advance(1_000);
    expect(isStopped).toBe(true);
  }
});

it("connects at once after a long connection, waits longer after short ones, and says when it is over", async () => {
  const ends: ((reason: string) => void)[] = [];
  const { clock, kept, cleared, waitsMs } = setUp(async ({ ended }) => {
    ends.push(ended);
    return OPENED;
  });
  await clock.advance(60_000);
  ends[0]?.("recycled");
  ends[0]?.("recycled");
  await clock.advance(0);
  expect(waitsMs()).toEqual([60_000]);
  for (let n = 1; n < 5; n += 1) {
    ends[n]?.("short");
    await clock.advance(20_000);
  }
  expect(waitsMs().slice(1)).toEqual([0, 20_000, 20_000, 20_000].map((ms) => ms));
  expect(cleared.length).toBeGreaterThan(0);
  await kept.stop();
});

it("reports a refusal for five minutes, with its cure, and raises one alert", async () => {
  const { clock, kept, raised, waitsMs } = setUp(() =>
    Promise.reject(new ChatError("Slack answered invalid_auth", true, { hint: "Put a token." })),
  );
  await clock.advance(650_000);
  expect(waitsMs()).toEqual([300_000, 300_000]);
  expect(new Set(raised).size).toBe(1);
  await kept.stop();
});

it("takes no click once it was stopped", async () => {
  let listener: ConnectionListener | undefined;
  const { clock, kept, clicks } = setUp(async (one) => {
    listener = one;
    return OPENED;
  });
  await clock.advance(1_000);
  const click = {} as Click;
  listener?.clicked(click);
  await kept.stop();
  listener?.clicked(click);
  expect(clicks).toHaveLength(1);
});

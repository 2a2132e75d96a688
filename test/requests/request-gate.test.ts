import { expect, it } from "vitest";
import { createUpstreamPacer } from "../../src/budget/upstream-pacer.ts";
import { createRequestGate, type RequestGate } from "../../src/requests/request-gate.ts";
import type { GateKeys } from "../../src/requests/gate-keys.ts";
import type { GateRequest, EligibleKeys } from "../../src/requests/reservation.ts";
import { createServiceClock } from "../../src/requests/service-clock.ts";
import type { FurtherPages } from "../../src/requests/turn-queue.ts";
import { sleep } from "../../src/model/clock.ts";
import { UpstreamError } from "../../src/model/upstream.ts";
import { openTemp, rememberingLog, memoryStatePath } from "../state/temp-state.ts";
import { startEngineHarness } from "../support/engine-harness.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

it("goes on a second after the answers when every slot of the rate was under way at once, and not after their timeout", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const users = Array.from({ length: 60 }, (_, i) => makeUser(String(i + 1), `user${i + 1}`));
  const upstream = createScriptedUpstream(clock, users);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  const watch = makeWatch(
    "w",
    "timeline",
    { accounts: users.map(({ id }) => `id:${id}`) },
    { strategy: "single" },
  );
  const harness = await startEngineHarness({ clock, upstream, watches: [watch] });
  await clock.advance(5_000);
  const asked = upstream.callsOf("user-tweets").length;
  await harness.close();
  expect(asked).toBe(60);
});

it("sends with the other key what one key is refused with 429, and waits for that one when only it has requests left", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  upstream.trouble = ({ keyName }, nowMs) => {
    if (keyName === "large" && nowMs < Date.UTC(2026, 2, 2, 12, 0, 5))
      throw new UpstreamError("rate_limited", "too many requests", 429, {
        retry: { afterMs: 10_000 },
      });
    return undefined;
  };
  const keys = [
    { name: "large", limit: 100 },
    { name: "small", limit: 1 },
  ] as const;
  const gate = await gateOf(clock, upstream, keys);
  const request: GateRequest = {
    endpoint: "user-tweets",
    params: {},
    source: "s",
    watch: "w",
    priority: "normal",
    purpose: "poll",
  };
  const startMs = clock.monotonic();
  const first = gate.request(request);
  await clock.advance(1_000);
  await first;
  expect(upstream.calls.map(({ keyName }) => keyName)).toEqual(["large", "small"]);
  const held = gate.request(request).catch((error: unknown) => error);
  await clock.advance(100);
  expect(await held).toMatchObject({
    reason: "backoff",
    retryAtMs: expect.closeTo(startMs + 10_000, -3),
  });
  await clock.advance(12_000);
  const last = gate.request(request);
  await clock.advance(1_000);
  await last;
  expect(upstream.calls.map(({ keyName }) => keyName)).toEqual(["large", "small", "large"]);
});

it("says of an answer when its request was sent, because another may have overtaken it", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", async ({ params }) => {
    if (params["user_id"] === "slow") await sleep(clock, 500);
    return { tweets: [] };
  });
  const paid: [string, number][] = [];
  const gate = await gateOf(
    clock,
    upstream,
    [{ name: "only", limit: 100 }],
    (key, sentAtMs) => void paid.push([key, sentAtMs]),
  );
  const request = {
    endpoint: "user-tweets",
    source: "s",
    watch: "w",
    priority: "normal",
    purpose: "poll",
  } as const;
  const startMs = clock.monotonic();
  const slow = gate.request({ ...request, params: { user_id: "slow" } });
  await clock.advance(100);
  const quick = gate.request({ ...request, params: {} });
  await clock.advance(1_000);
  await Promise.all([slow, quick]);
  expect(paid.map(([key, sentAtMs]) => [key, Math.round(sentAtMs - startMs)])).toEqual([
    ["only", 100],
    ["only", 0],
  ]);
});

it("sends with another key what failed with one, whichever has more left, and with that one again where no other has any", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  let isLargeDown = true;
  upstream.trouble = ({ keyName }) => {
    if (keyName === "large" && isLargeDown) throw new UpstreamError("transient", "timed out");
    return undefined;
  };
  const keys = [
    { name: "large", limit: 100 },
    { name: "small", limit: 1 },
  ] as const;
  const paid: (readonly string[])[] = [];
  const gate = await gateOf(
    clock,
    upstream,
    keys,
    (key, _sentAtMs, failedWith) => void paid.push([key, ...failedWith.keys()]),
  );
  const ask = async (source: string) => {
    const answer = gate
      .request({
        endpoint: "user-tweets",
        params: {},
        source,
        watch: "w",
        priority: "normal",
        purpose: "poll",
      })
      .catch((error: unknown) => error);
    await clock.advance(10_000);
    return answer;
  };
  await ask("s");
  expect(upstream.calls.map(({ keyName }) => keyName)).toEqual(["large", "small"]);
  expect(paid).toEqual([["small", "large"]]);
  expect(await ask("other")).toMatchObject({ kind: "transient" });
  isLargeDown = false;
  await ask("s");
  expect(upstream.calls.slice(2).map(({ keyName }) => keyName)).toEqual([
    "large",
    "large",
    "large",
  ]);
  expect(paid.at(-1)).toEqual(["large"]);
});

async function gateOf(
  clock: ReturnType<typeof createVirtualClock>,
  upstream: ReturnType<typeof createScriptedUpstream>,
  keys?: EligibleKeys,
  paid: GateKeys["paid"] = () => undefined,
  pages?: FurtherPages,
  settled?: (ledgerId: string, status: number | null) => void,
): Promise<RequestGate> {
  const store = await openTemp(memoryStatePath());
  return createRequestGate({
    upstream,
    ledger: {
      ...store,
      async settle(id, atMs, status) {
        settled?.(id, status);
        await store.settle(id, atMs, status);
      },
    },
    clock,
    serviceClock: createServiceClock(clock),
    pacer: createUpstreamPacer(createSeededRandom(1), keys && (() => keys.map(({ name }) => name))),
    meter: { count: () => undefined, observe: () => undefined, set: () => undefined },
    log: rememberingLog(),
    limits: () => ({
      rate: { count: 20, intervalMs: 1_000 },
      timeoutMs: 30_000,
      quota: { monthly: 1_000, reserve: 0, resetDay: 1, timezone: "UTC" },
    }),
    renewKey: async () => false,
    ...(pages === undefined ? {} : { pages }),
    ...(keys === undefined
      ? {}
      : { keys: { eligible: () => keys, refused: async () => false, paid } }),
    onOutcome: () => undefined,
  });
}

it("lets everyone go when the trial of a service that was down is answered, and not when the next trial would be due", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  const gate = await gateOf(clock, upstream);
  upstream.trouble = () => {
    throw new UpstreamError("transient", "down");
  };
  let answered = 0;
  const ask = async (source: string): Promise<void> => {
    for (;;) {
      const answer = await gate
        .request({
          endpoint: "user-tweets",
          params: {},
          source,
          watch: "w",
          priority: "normal",
          purpose: "poll",
        })
        .catch(() => undefined);
      if (answer !== undefined) return void (answered += 1);
      await sleep(clock, 1_000);
    }
  };
  for (let i = 0; i < 30; i += 1) void ask(`s${i}`);
  await clock.advance(10 * 60_000);
  const before = upstream.calls.length;
  upstream.trouble = () => undefined;
  while (upstream.calls.length === before) await clock.advance(1_000);
  await clock.advance(5_000);
  expect(answered).toBe(30);
});

it("asks once a pause in a storm of 429, however many wait, and lets everyone go when one is answered", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  upstream.trouble = () => {
    throw new UpstreamError("rate_limited", "too many requests", 429);
  };
  const gate = await gateOf(clock, upstream);
  const ask = (i: number) =>
    gate.request({
      endpoint: "user-tweets",
      params: {},
      source: `s${i}`,
      watch: "w",
      priority: "normal",
      purpose: "poll",
    });
  let answered = 0;
  for (let i = 0; i < 30; i += 1) void ask(i).then(() => (answered += 1));
  await clock.advance(500);
  const first = upstream.calls.length;
  await clock.advance(10 * 60_000);
  // The attempts come after 1, 1, 2, 4, 8, 16, 32, 64, 128 and 256 seconds.
  expect(upstream.calls.length - first).toBe(10);
  upstream.trouble = () => undefined;
  const before = upstream.calls.length;
  while (upstream.calls.length === before) await clock.advance(1_000);
  await clock.advance(5_000);
  expect(answered).toBe(30);
});

it("has an entry of its own in the ledger for each attempt of a request", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  upstream.trouble = () => {
    if (upstream.calls.length < 5)
      throw new UpstreamError("rate_limited", "too many requests", 429);
    return undefined;
  };
  const settled: [string, number | null][] = [];
  const gate = await gateOf(clock, upstream, undefined, undefined, undefined, (id, status) =>
    settled.push([id, status]),
  );
  const answer = gate.request({
    ...{ endpoint: "user-tweets", params: {}, source: "s", watch: "w" },
    ...{ priority: "normal", purpose: "poll" },
  });
  await clock.advance(5 * 60_000);
  await answer;
  expect(settled.map(([, status]) => status)).toEqual([429, 429, 429, 429, 200]);
  expect(new Set(settled.map(([id]) => id)).size).toBe(5);
});

it("takes each further page once out of what may be read, however long its request waits for the rate", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  const taken: string[] = [];
  const pages = {
    begin: () => undefined,
    mayReadOn: (source: string) => taken.push(source) > 0,
    entered: () => undefined,
  };
  const gate = await gateOf(clock, upstream, undefined, undefined, pages);
  const asked = Array.from({ length: 90 }, (_, i) =>
    gate.request({
      ...{
        endpoint: "user-tweets",
        params: {},
        source: `s${i}`,
        watch: "w",
        priority: "normal",
        purpose: "poll",
      },
      ...(i % 3 === 0 ? {} : { cursor: "c" }),
    }),
  );
  await clock.advance(30_000);
  await Promise.all(asked);
  expect(taken.length).toBe(60);
  expect(new Set(taken).size).toBe(60);
});

const usage: GateRequest = {
  endpoint: "key-usage-info",
  params: {},
  source: "usage",
  watch: "",
  priority: "high",
  purpose: "command",
  billed: false,
};

it("repeats a free request after a 429, and lets the others wait with it", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  upstream.on("key-usage-info", () => ({ record: { remaining_requests: 7 } }));
  upstream.on("user-tweets", () => ({ tweets: [] }));
  upstream.trouble = () => {
    if (upstream.callsOf("key-usage-info").length < 3)
      throw new UpstreamError("rate_limited", "too many requests", 429);
    return undefined;
  };
  const gate = await gateOf(clock, upstream);
  const answer = gate.request(usage);
  await clock.advance(100);
  const other = gate.request({
    endpoint: "user-tweets",
    params: {},
    source: "s",
    watch: "w",
    priority: "normal",
    purpose: "poll",
  });
  await clock.advance(500);
  expect(upstream.callsOf("user-tweets")).toHaveLength(0);
  await clock.advance(10_000);
  expect((await answer).record).toEqual({ remaining_requests: 7 });
  await other;
  expect(upstream.callsOf("key-usage-info")).toHaveLength(3);
});

it("gives a free request up after a few refusals, and at once where the service asks for a long wait", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const upstream = createScriptedUpstream(clock, []);
  let options: ConstructorParameters<typeof UpstreamError>[3] = {};
  upstream.trouble = () => {
    throw new UpstreamError("rate_limited", "too many requests", 429, options);
  };
  const gate = await gateOf(clock, upstream);
  const failed = gate.request(usage).catch((error: unknown) => error);
  await clock.advance(60_000);
  expect(await failed).toMatchObject({ kind: "rate_limited" });
  expect(upstream.calls).toHaveLength(4);
  const afterMs = 40 * 60_000;
  options = { retry: { afterMs } };
  const refused = gate.request(usage).catch((error: unknown) => error);
  await clock.advance(1_000);
  expect(await refused).toMatchObject({ kind: "rate_limited", retry: { afterMs } });
  expect(upstream.calls).toHaveLength(5);
});

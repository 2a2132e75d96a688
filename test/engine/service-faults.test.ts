import { afterEach, expect, it } from "vitest";
import {
  type EngineHarness,
  type EngineHarnessOptions,
  startEngineHarness,
} from "../support/engine-harness.ts";
import { createFeedWorld } from "../support/feed-world.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream, failure } from "../support/scripted-upstream.ts";
import { createSeededRandom } from "../support/seeded-random.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const START = Date.UTC(2026, 2, 2, 12, 0, 0);
const SECOND = 1_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

let harness: EngineHarness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

const searches = (count: number) =>
  Array.from({ length: count }, (_, i) => makeWatch(`w${i}`, "search", { query: `acme${i}` }));

async function setup(options: Partial<EngineHarnessOptions> = {}) {
  const clock = createVirtualClock(START);
  const world = createFeedWorld({ random: createSeededRandom(1) });
  world.post(START - HOUR);
  const upstream = createScriptedUpstream(clock, [makeUser("7", "alice")]);
  for (const endpoint of ["search-tweets", "user-tweets"])
    upstream.on(endpoint, (request, nowMs) => world.answer(request, nowMs));
  harness = await startEngineHarness({ clock, upstream, watches: searches(1), ...options });
  await clock.advance(5 * SECOND);
  return { clock, world, upstream, harness };
}

const idsOf = (events: readonly { readonly subject: string }[]) =>
  events.map(({ subject }) => subject).sort();

it("fault 01: a single 429 is repeated after about a second and loses nothing", async () => {
  const { clock, world, upstream, harness } = await setup();
  const tweet = world.post(START + 30 * SECOND);
  const before = upstream.calls.length;
  let refusals = 1;
  upstream.trouble = () => {
    if (refusals-- > 0) throw failure("rate_limited");
    return undefined;
  };
  await clock.advanceTo(START + 70 * SECOND);
  const [first, second] = upstream.calls.slice(before);
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(SECOND);
  expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeLessThan(1_500);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
  expect(harness.opsAlerts).toEqual([]);
  expect((await harness.store.spentSince(0)).total).toBe(upstream.calls.length);
});

it("fault 02: in a storm of 429 all watches share one pause, and the status says throttled", async () => {
  const { clock, world, upstream, harness } = await setup({ watches: searches(12) });
  const tweet = world.post(START + 50 * SECOND);
  const before = upstream.calls.length;
  upstream.trouble = (_, nowMs) => {
    if (nowMs < START + 120 * SECOND) throw failure("rate_limited");
    return undefined;
  };
  const seen = new Set<number | undefined>();
  for (let second = 70; second <= 115; second += 15) {
    await clock.advanceTo(START + second * SECOND);
    expect(harness.upstreamMonitor.trouble?.reason).toBe("throttled");
    seen.add(harness.upstreamMonitor.trouble?.sinceMs);
  }
  // The time given is that of the first refusal, however often it is asked for.
  const [sinceMs = 0, ...others] = seen;
  expect(others).toEqual([]);
  expect(sinceMs - (upstream.calls[before]?.atMs ?? 0)).toBeLessThan(SECOND);
  // About a dozen requests go out when the storm begins, and then one after each of the growing
  // pauses, although twelve polls wait.
  expect(upstream.calls.length - before).toBeLessThan(12 + 8);
  await clock.advanceTo(START + 5 * MINUTE);
  expect(idsOf(await harness.events())).toEqual(Array.from({ length: 12 }, () => tweet.id));
  expect(harness.opsAlerts).toEqual([]);
});

it("fault 02: a storm of 429 that does not pass is reported after two minutes, once, and when it is over", async () => {
  const { clock, world, upstream, harness } = await setup({ watches: searches(12) });
  const tweet = world.post(START + 50 * SECOND);
  const before = upstream.calls.length;
  upstream.trouble = (_, nowMs) => {
    if (nowMs < START + HOUR) throw failure("rate_limited");
    return undefined;
  };
  await clock.advanceTo(START + 2 * MINUTE);
  expect(harness.opsAlerts).toEqual([]);
  await clock.advanceTo(START + 3.5 * MINUTE);
  expect(harness.opsAlerts).toHaveLength(1);
  await clock.advanceTo(START + HOUR - 1);
  expect(upstream.calls.length - before).toBeLessThan(12 + 25);
  expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["upstream.dark"]);
  expect(harness.opsAlerts[0]?.message).toContain("nothing but 429");
  await clock.advanceTo(START + HOUR + 6 * MINUTE);
  expect(harness.opsAlerts.map(({ type }) => type)).toEqual([
    "upstream.dark",
    "upstream.recovered",
  ]);
  expect(idsOf(await harness.events())).toEqual(Array.from({ length: 12 }, () => tweet.id));
});

it("fault 03: a single 500 is retried after one to two seconds, and both requests are in the ledger", async () => {
  const { clock, world, upstream, harness } = await setup();
  const tweet = world.post(START + 30 * SECOND);
  const before = upstream.calls.length;
  let failures = 1;
  upstream.trouble = () => {
    if (failures-- > 0) throw failure("transient");
    return undefined;
  };
  await clock.advanceTo(START + 70 * SECOND);
  const [first, second] = upstream.calls.slice(before);
  const waitMs = (second?.atMs ?? 0) - (first?.atMs ?? 0);
  expect(waitMs).toBeGreaterThanOrEqual(SECOND);
  expect(waitMs).toBeLessThan(2_200);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
  expect((await harness.store.spentSince(0)).total).toBe(upstream.calls.length);
});

it.each([
  ["fault 04: an hour of 500", "transient", 500],
  ["fault 05: an hour of HTML with 502", "transient", 502],
  ["fault 38: an hour without DNS", "transient", undefined],
] as const)(
  "%s is reported once, backed off, and everything is caught up afterwards",
  async (_name, kind, status) => {
    const { clock, world, upstream, harness } = await setup();
    const tweets = Array.from({ length: 90 }, (_, i) =>
      world.post(START + 2 * MINUTE + i * 30 * SECOND),
    );
    const before = upstream.calls.length;
    upstream.trouble = (_, nowMs) => {
      if (nowMs > START + 30 * SECOND && nowMs < START + HOUR)
        throw failure(kind, "Bad Gateway", status);
      return undefined;
    };
    await clock.advanceTo(START + HOUR);
    expect(upstream.calls.length - before).toBeLessThan(40);
    expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["upstream.dark"]);
    await clock.advance(15 * MINUTE);
    expect(harness.opsAlerts.map(({ type }) => type)).toEqual([
      "upstream.dark",
      "upstream.recovered",
    ]);
    expect(idsOf(await harness.events())).toEqual(idsOf(tweets.map(({ id }) => ({ subject: id }))));
  },
);

it.each([
  [
    "fault 06: a 403 about the quota",
    "billing",
    403,
    "request limit exceeded",
    /quota is used up or the subscription has ended/,
  ],
  ["fault 07: a 402", "billing", 402, "Payment Required", /demands payment/],
  ["fault 08: a 401", "unauthorized", 401, "Unauthorized", /refuses the API key/],
] as const)(
  "%s stops all polling at once, is reported once, and is asked about once an hour",
  async (_name, kind, status, said, words) => {
    let probes = 0;
    let isPaid = false;
    const probe = async () => {
      probes += 1;
      return isPaid;
    };
    const { clock, world, upstream, harness } = await setup({ watches: searches(5), probe });
    const tweet = world.post(START + 10 * MINUTE);
    upstream.trouble = () => {
      if (isPaid) return undefined;
      throw failure(kind, said, status);
    };
    const before = upstream.calls.length;
    await clock.advanceTo(START + 4 * HOUR);
    // Only requests in progress when the first refusal came may follow.
    expect(upstream.calls.length - before).toBeLessThanOrEqual(5);
    expect(probes).toBe(3);
    expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["upstream.dark"]);
    expect(harness.opsAlerts[0]?.message).toMatch(words);
    expect(harness.upstreamMonitor.isStopped).toBe(true);
    isPaid = true;
    await clock.advance(HOUR + 3 * MINUTE);
    expect(harness.opsAlerts.map(({ type }) => type)).toEqual([
      "upstream.dark",
      "upstream.recovered",
    ]);
    expect(idsOf(await harness.events())).toEqual(Array.from({ length: 5 }, () => tweet.id));
  },
);

it("a key that is not paid for still learns what is left of it, and that is no recovery", async () => {
  const { clock, upstream, harness } = await setup({
    watches: searches(2),
    probe: async () => false,
  });
  upstream.trouble = ({ endpoint }) => {
    if (endpoint === "key-usage-info") return undefined;
    throw failure("billing", "api key not payed", 403);
  };
  upstream.on("key-usage-info", () => ({ record: { remaining_requests: 700 } }));
  const usage = {
    endpoint: "key-usage-info",
    params: {},
    source: "usage",
    watch: "",
    priority: "high",
    purpose: "command",
  } as const;
  await clock.advance(2 * MINUTE);
  for (let hour = 0; hour < 3; hour++) {
    const asked = harness.gate.request({ ...usage, billed: false });
    await clock.advance(HOUR);
    expect((await asked).record).toEqual({ remaining_requests: 700 });
  }
  expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["upstream.dark"]);
});

it("fault 08: a key that was renewed in its file is taken over without a word", async () => {
  let renewals = 0;
  const renewKey = async () => (renewals += 1) > 0;
  const { clock, world, upstream, harness } = await setup({ renewKey });
  const tweet = world.post(START + 30 * SECOND);
  upstream.trouble = () => {
    if (renewals === 0) throw failure("unauthorized");
    return undefined;
  };
  await clock.advanceTo(START + 75 * SECOND);
  expect(renewals).toBe(1);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
});

it("fault 09: a 400 marks this watch alone, once, and is not retried in a loop", async () => {
  const { clock, world, upstream, harness } = await setup({ watches: searches(2) });
  const tweet = world.post(START + 30 * SECOND);
  upstream.trouble = ({ params }) => {
    if (JSON.stringify(params).includes("acme1")) throw failure("bad_request", "query is too long");
    return undefined;
  };
  const before = upstream.calls.length;
  await clock.advanceTo(START + HOUR);
  const asked = upstream.calls
    .slice(before)
    .filter(({ params }) => JSON.stringify(params).includes("acme1"));
  // The search is tried with the other watch and on its own, which shows whose query is refused. It
  // is tried again after 1, 5 and 15 minutes, and then once an hour at most.
  expect(asked.length).toBeLessThanOrEqual(8);
  expect(
    harness.opsAlerts.map(({ type, watch, message }) => [
      type,
      watch,
      /query is too long/.test(message),
    ]),
  ).toEqual([["target.unavailable", "w1", true]]);
  const states = await harness.store.listWatches();
  expect(states.map(({ targets }) => targets[0]?.status)).toEqual(["ok", "misconfigured"]);
  expect((await harness.events()).map(({ watch, subject }) => [watch, subject])).toEqual([
    ["w0", tweet.id],
  ]);
});

it("fault 09: 400s for everything that pass after an hour are forgotten within another one, and those that stay are tried once a day", async () => {
  const { clock, world, upstream, harness } = await setup();
  let untilMs = START + HOUR;
  upstream.trouble = (_, nowMs) => {
    if (nowMs < untilMs) throw failure("bad_request");
    return undefined;
  };
  const tweet = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 2 * HOUR);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
  untilMs = START + 100 * HOUR;
  await clock.advanceTo(START + 10 * HOUR);
  const before = upstream.callsOf("search-tweets").length;
  await clock.advance(72 * HOUR);
  expect(upstream.callsOf("search-tweets").length - before).toBeLessThanOrEqual(3);
});

it("fault 06: a 403 without a reason that passes costs a minute, not an hour, and one that stays is asked once an hour", async () => {
  const { clock, world, upstream, harness } = await setup();
  let untilMs = START + 70 * SECOND;
  upstream.trouble = (_, nowMs) => {
    if (nowMs < untilMs) throw failure("forbidden");
    return undefined;
  };
  const tweet = world.post(START + 30 * SECOND);
  await clock.advanceTo(START + 3 * MINUTE);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
  untilMs = START + 30 * HOUR;
  await clock.advanceTo(START + 2 * HOUR);
  const before = upstream.callsOf("search-tweets").length;
  await clock.advance(5 * HOUR);
  expect(upstream.callsOf("search-tweets").length - before).toBeLessThanOrEqual(5);
});

it("reports once that one refusal is about many accounts of several watches", async () => {
  const ids = Array.from({ length: 40 }, (_, i) => String(i + 100));
  const profiles = (id: string, own: readonly string[]) =>
    makeWatch(id, "profile", { accounts: own.map((one) => `id:${one}`) });
  const clock = createVirtualClock(START);
  const upstream = createScriptedUpstream(clock, [
    makeUser("7", "alice"),
    ...ids.map((id) => makeUser(id, `account_${id}`)),
  ]);
  harness = await startEngineHarness({
    clock,
    upstream,
    watches: [profiles("w0", ids), profiles("w1", ["7"])],
  });
  await clock.advance(5 * SECOND);
  upstream.trouble = () => {
    throw failure("bad_request", "no such parameter");
  };
  await clock.advance(10 * MINUTE);
  expect(harness.opsAlerts).toMatchObject([
    {
      type: "target.unavailable",
      message: expect.stringMatching(
        /^w0, w1: id:100, id:101, id:102, id:103, id:104 and 36 more cannot be read: .*no such parameter/,
      ),
      facts: { targets: 41, watches: ["w0", "w1"] },
    },
  ]);
});

it("fault 10: a watched account that answers 404 is asked about by id, reported once, polled slowly, and goes on by itself", async () => {
  const { clock, world, upstream, harness } = await setup({
    watches: [makeWatch("w0", "timeline", { accounts: ["alice"] })],
  });

  let isGone = true;
  upstream.trouble = ({ endpoint }) => {
    if (isGone && endpoint === "user-tweets") throw failure("not_found");
    return undefined;
  };
  const before = upstream.calls.length;
  await clock.advanceTo(START + 5 * HOUR);
  expect(upstream.callsOf("id-to-username").length).toBeGreaterThanOrEqual(1);
  expect(upstream.calls.length - before).toBeLessThanOrEqual(12);
  expect(harness.opsAlerts.map(({ type }) => type)).toEqual(["target.unavailable"]);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("unavailable");
  const tweet = world.post(START + 5 * HOUR);
  isGone = false;
  await clock.advance(2 * HOUR);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("ok");
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
});

it("fault 14: a connection lost on a later page is retried, and nothing of the broken page is committed", async () => {
  const { clock, world, upstream, harness } = await setup();
  const tweets = Array.from({ length: 50 }, (_, i) => world.post(START + 20 * SECOND + i * 100));
  upstream.trouble = ({ cursor }, nowMs) => {
    if (cursor !== undefined && nowMs < START + 90 * SECOND)
      throw failure("transient", "socket hang up");
    return undefined;
  };
  await clock.advanceTo(START + 75 * SECOND);
  expect((await harness.events()).length).toBe(20);
  await clock.advanceTo(START + 4 * MINUTE);
  expect(idsOf(await harness.events())).toEqual(idsOf(tweets.map(({ id }) => ({ subject: id }))));
});

it("fault 15: an answer of the wrong shape is an error, not an empty list", async () => {
  const { clock, world, upstream, harness } = await setup();
  const tweet = world.post(START + 30 * SECOND);
  upstream.trouble = (_, nowMs) => {
    if (nowMs < START + 90 * SECOND) throw failure("transient", "the answer has no tweets", 200);
    return undefined;
  };
  await clock.advanceTo(START + 80 * SECOND);
  expect(await harness.events()).toEqual([]);
  const [source] = await harness.store.loadSources([harness.engine.polls[0]?.key ?? ""]);
  expect(source?.lastOkAtMs).toBeLessThan(START + 10 * SECOND);
  await clock.advanceTo(START + 4 * MINUTE);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
});

it("fault 13: an answer that hangs does not hold up the stop", async () => {
  const { clock, upstream, harness } = await setup();
  upstream.on(
    "search-tweets",
    (request) =>
      new Promise((_, reject) =>
        request.signal?.addEventListener("abort", () => reject(failure("transient"))),
      ),
  );
  await clock.advanceTo(START + 65 * SECOND);
  let isStopped = false;
  const stopped = harness.engine.stop().then(() => void (isStopped = true));
  await clock.advance(3_100);
  expect(isStopped).toBe(true);
  await stopped;
});

it("fault 29: an account that is protected for a while is reported as that, once, and what it posted meanwhile arrives when it is back", async () => {
  const { clock, world, upstream, harness } = await setup({
    watches: [makeWatch("w0", "timeline", { accounts: ["alice"] })],
  });
  let isProtected = true;
  upstream.trouble = ({ endpoint }) => {
    if (isProtected && endpoint === "user-tweets") throw failure("not_found");
    return undefined;
  };
  upstream.on("id-to-username", () => ({ record: { handle: "alice" } }));
  upstream.on("info", () => ({ record: { ...makeUser("7", "alice"), protected: true } }));
  await clock.advanceTo(START + 3 * HOUR);
  const tweet = world.post(START + 3 * HOUR);
  await clock.advance(HOUR);
  expect(harness.opsAlerts.map(({ message }) => message)).toEqual([
    "w0: alice cannot be read: the account is protected now",
  ]);
  expect([upstream.callsOf("id-to-username").length, upstream.callsOf("info").length]).toEqual([
    1, 1,
  ]);
  isProtected = false;
  await clock.advance(2 * HOUR);
  expect(idsOf(await harness.events())).toEqual([tweet.id]);
  expect((await harness.store.listWatches())[0]?.targets[0]?.status).toBe("ok");
});

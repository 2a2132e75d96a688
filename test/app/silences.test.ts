/**
 * Tests silences in the whole daemon: what they hold back, for how long, over reloads and restarts,
 * and what is sent afterwards.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const ROUTE = {
  sink: "hook",
  routes: [{ matchers: ['team="press"'], group_by: ["watch"], group_wait: "10m" }],
};

/**
 * Starts two watches of one author's posts: `now` alerts at once, `later` gathers for ten minutes.
 */
async function setUp(more: { readonly route?: object } = {}) {
  const posts = (team: string) => ({
    type: "timeline",
    accounts: ["one"],
    schedule: "@every 1m",
    labels: { team },
  });
  const daemon = await startInnerDaemon({
    watches: () => ({ now: posts("comms"), later: posts("press") }),
    more: { route: ROUTE, ...more },
    prepare: (control) => control("tweets", { username: "one", text: "old" }),
  });
  const { clock, call, hook, control } = daemon;
  await clock.advance(5 * MINUTE);
  const got = (watch: string) => hook.events().filter((event) => event.watch === watch);
  return {
    ...daemon,
    silence: (matcher: string, duration: string) =>
      call("silences", "POST", {
        matchers: [matcher],
        duration,
        comment: "launch",
        author: "alice",
      }),
    post: async (count = 1): Promise<readonly string[]> => {
      const { ids } = await control("tweets", { username: "one", text: "news", count });
      await clock.advance(2 * MINUTE);
      return ids;
    },
    /** Returns the subjects of the alerts of a watch. */
    alerted: (watch: string) => got(watch).map(({ subject }) => subject),
    messagesOf: (watch: string) =>
      hook.messages().filter(({ events }) => events.some((event) => event.watch === watch)).length,
  };
}

it("holds alerts back until it ends, and is seen wherever one asks; what it held back is not sent then", async () => {
  const { silence, post, alerted, call, status, page, clock } = await setUp();
  await post();
  const added = await silence('watch="now"', "10m");
  expect(added).toMatchObject({
    id: "1",
    state: "active",
    author: "alice",
    comment: "launch",
    matching_24h: 1,
  });
  const [id = ""] = await post();
  await clock.advance(10 * MINUTE);
  const [after = ""] = await post();
  await clock.advance(12 * MINUTE);
  expect(alerted("now")).toEqual([expect.any(String), after]);
  expect(alerted("later")).toHaveLength(3);
  const { verdicts } = await call(`explain/${id}`);
  expect(verdicts.find((one: any) => one.watch === "now")).toMatchObject({
    verdict: "silenced",
    deliveries: [{ sink: "hook", state: "silenced", detail: "silence 1" }],
  });
  expect((await call("events?state=silenced")).events).toMatchObject([
    { data: { watch: "now", tweet: { id } } },
  ]);
  expect((await status()).silences).toEqual([]);
  const { silences } = await call("silences?expired=true");
  expect(silences).toMatchObject([
    { id: "1", state: "expired", silenced: [{ sink: "hook", alerts: 1 }] },
  ]);
  await silence('watch="now"', "10m");
  expect((await status()).silences).toMatchObject([{ id: "2", comment: "launch" }]);
  expect(await page()).toContain("launch");
});

it("of two that match, the end of one leaves the other active", async () => {
  const { silence, post, alerted, call, clock } = await setUp();
  await silence('watch="now"', "30m");
  await silence('team=~"com.*"', "1h");
  await post();
  await call("silences/1", "DELETE");
  await post();
  expect(alerted("now")).toEqual([]);
  expect((await call("silences")).silences).toMatchObject([{ id: "2", silenced: [{ alerts: 1 }] }]);
  await clock.advance(61 * MINUTE);
  const [id] = await post();
  expect(alerted("now")).toEqual([id]);
});

it("that is added while a group gathers holds back what it holds, and that ended before does not", async () => {
  const { silence, post, alerted, clock, call } = await setUp();
  await post(2);
  await silence('watch="later"', "1h");
  await clock.advance(15 * MINUTE);
  expect(alerted("later")).toEqual([]);
  await call("silences/1", "DELETE");
  const ids = await post();
  await silence('watch="later"', "2m");
  await clock.advance(15 * MINUTE);
  expect(alerted("later")).toEqual(ids);
});

it("outlasts reloads and restarts, and ends in time when the daemon was down at its end", async () => {
  const { silence, post, alerted, reload, stop, start, clock } = await setUp();
  await silence('watch="now"', "30m");
  await reload();
  await post();
  await stop();
  await start();
  await post();
  expect(alerted("now")).toEqual([]);
  await stop();
  await clock.advance(30 * MINUTE);
  await start();
  const [id] = await post();
  await clock.advance(5 * MINUTE);
  expect(alerted("now")).toEqual([id]);
});

it("replayed alerts go out once, also while the silence lasts and through a group that it matches", async () => {
  const { silence, post, alerted, call, stop, start, clock } = await setUp();
  await silence('author="one"', "10h");
  const ids = await post(2);
  await clock.advance(15 * MINUTE);
  expect([alerted("now"), alerted("later")]).toEqual([[], []]);
  expect(await call("silences/replay?sink=ops", "POST")).toEqual({ alerts: 0, effect: "now" });
  expect(await call("silences/replay", "POST")).toEqual({ alerts: 4, effect: "now" });
  await clock.advance(MINUTE);
  expect([alerted("now").toSorted(), alerted("later").toSorted()]).toEqual([
    ids.toSorted(),
    ids.toSorted(),
  ]);
  await stop();
  await start();
  await clock.advance(15 * MINUTE);
  expect(await call("silences/replay", "POST")).toEqual({ alerts: 0, effect: "now" });
  expect(alerted("now")).toHaveLength(2);
  expect((await call("silences")).silences).toMatchObject([{ silenced: [] }]);
});

it("the daemon's own events are held back only by a silence that names their event", async () => {
  const { silence, opsAlerts, control, clock } = await setUp();
  await silence('severity=~".+"', "10h");
  await control("faults", { name: "payment_required", for_ms: 60 * MINUTE });
  await clock.advance(10 * MINUTE);
  const about = (what: string) =>
    opsAlerts().flatMap(({ type }) => (type.startsWith(`${what}.`) ? [type] : []));
  expect(about("upstream")).toEqual(["upstream.dark"]);
  await silence('event=~"upstream[.].*"', "10h");
  await control("faults", undefined, "DELETE");
  await clock.advance(60 * MINUTE);
  expect(about("upstream")).toEqual(["upstream.dark"]);
  expect(about("key")).toContain("key.recovered");
});

it("says what is wrong with a silence, and adds none", async () => {
  const { call } = await setUp();
  const refused = await call("silences", "POST", {
    matchers: ["tema=x", "watch=noww", 'team=~"("'],
    duration: "0s",
  });
  expect(refused.error.errors).toEqual([
    'no event has a label "tema"; did you mean `team`?',
    'no watch is called "noww"; did you mean `now`?',
    expect.stringMatching(/^"\(" is not a regular expression: .+/),
    "the comment is missing: write why, for people who see the silence later",
    "a silence of 0s is too short to hold anything back: write a longer duration, like 30m, 2h or 3d",
  ]);
  expect((await call("silences?expired=true")).silences).toEqual([]);
});

/**
 * Tests alerts that were created before a reload renamed their watch together with the matchers of
 * its route: the route's options hold for them as before.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The daemon starts at 13:38:49 on a Friday. */
const at = (hour: number, minute = 0): number => Date.UTC(2026, 2, 6, hour, minute);

/**
 * Starts a watch of one tweet's likes. Its alerts go to the webhook, by a route that names the
 * watch; all others go to the sink of `ops`.
 */
async function setUp(options: object) {
  let tweet = "";
  let names: { readonly now: string; readonly before?: string } = { now: "w" };
  const daemon = await startInnerDaemon({
    watches: () => ({
      [names.now]: {
        ...{ type: "tweet", tweets: [tweet], when: { likes_count: ">= 1000" } },
        schedule: "@every 5m",
        ...(names.before === undefined ? {} : { moved_from: names.before }),
      },
    }),
    more: {
      get route() {
        const route = { matchers: [`watch=${names.now}`], sink: "hook", ...options };
        return { sink: "ops", routes: [route] };
      },
      time_intervals: { later: [{ times: [{ start: "14:00", end: "15:00" }] }] },
    },
    prepare: async (control) => {
      await control("accounts", { username: "loud_one" });
      [tweet = ""] = (await control("tweets", { username: "loud_one", text: "a tweet" })).ids;
      await control(`tweets/${tweet}`, { likes_count: 10 }, "PATCH");
    },
  });
  const { clock, control, reload, hook, ops } = daemon;
  const likes = (count: number) => control(`tweets/${tweet}`, { likes_count: count }, "PATCH");
  const kinds = (received: typeof hook) =>
    received.events().map(({ type, data }: any) => [type, data.watch, data.tweet?.likes_count]);
  return {
    ...daemon,
    likes,
    received: () => kinds(hook),
    escalated: () => kinds(ops).filter(([type]) => type === "alert.escalated"),
    advanceTo: (ms: number) => clock.advance(ms - clock.now()),
    /** Lets the watch find its alert, and renames it after that. */
    async alertAndRename() {
      await clock.advance(3 * MINUTE);
      await likes(1_234);
      await clock.advance(6 * MINUTE);
      names = { now: "renamed", before: names.now };
      await reload();
    },
  };
}

const ALERT = ["tweet.threshold", "w", 1_234];

it("an alert waits for the route's digest as before", async () => {
  const { alertAndRename, received, advanceTo } = await setUp({
    digest: { schedule: "0 20 * * *" },
  });
  await alertAndRename();
  await advanceTo(at(19, 59));
  expect(received()).toEqual([]);
  await advanceTo(at(20, 1));
  expect(received()).toEqual([ALERT]);
});

it("an alert whose sink failed is not tried again in the muted hours of the route", async () => {
  const { alertAndRename, received, advanceTo, hook } = await setUp({
    mute_time_intervals: ["later"],
  });
  hook.answer((_, response) => response.writeHead(503).end());
  await alertAndRename();
  await advanceTo(at(14) + 1_000);
  const failed = received().length;
  expect(failed).toBeGreaterThan(0);
  hook.answer((_, response) => response.end());
  await advanceTo(at(14, 59));
  expect(received()).toHaveLength(failed);
  await advanceTo(at(15, 5));
  expect(received()).toHaveLength(failed + 1);
});

it("an alert is escalated by the steps of the route", async () => {
  const { alertAndRename, escalated, clock } = await setUp({
    escalate: [{ after: "15m", sink: "ops" }],
  });
  await alertAndRename();
  expect(escalated()).toEqual([]);
  await clock.advance(16 * MINUTE);
  expect(escalated()).toHaveLength(1);
});

it("an alert is resolved, in a message that has the watch's new name", async () => {
  const { alertAndRename, received, likes, clock } = await setUp({ send_resolved: true });
  await alertAndRename();
  await likes(10);
  await clock.advance(HOUR);
  expect(received()).toEqual([ALERT, ["tweet.threshold", "renamed", 10]]);
});

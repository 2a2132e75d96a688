/**
 * Tests that alerts on one subject reach a webhook, which takes several messages at once, in the
 * order in which they were found.
 */
import { expect, it } from "vitest";
import { startInnerDaemon } from "../support/inner-daemon.ts";

const SECOND = 1_000;

it("a second change of an account waits for the alert on the first, which the sink refuses for a while", async () => {
  const { hook, clock, control } = await startInnerDaemon({
    watches: () => ({
      w: { type: "profile", accounts: ["moving_one", "other_one"], schedule: "@every 2s" },
    }),
    prepare: async (ask) => {
      for (const username of ["moving_one", "other_one"]) await ask("accounts", { username });
    },
  });
  await clock.advance(30 * SECOND);
  // Too few refusals to open the sink's breaker. The first message waits for its fifth attempt, and
  // the sink accepts new ones.
  let refusals = 4;
  hook.answer((_, response) => response.writeHead(refusals-- > 0 ? 503 : 204).end());
  await control("accounts", { username: "moving_one", rename_to: "moved_one" });
  await clock.advance(10 * SECOND);
  expect(refusals).toBe(0);
  await control("accounts", { username: "moved_one", rename_to: "moved_again" });
  await control("accounts", { username: "other_one", rename_to: "another_one" });
  await clock.advance(60 * SECOND);
  const accepted = hook.events().slice(4);
  expect(accepted.map(({ data }) => data.user.username)).toEqual([
    "another_one",
    "moved_one",
    "moved_again",
  ]);
});

const GROUPED = { group_by: ["watch"], group_wait: "1s", group_interval: "1s" };

it.each([
  ["alone", {}],
  ["in its group", GROUPED],
])(
  "the end of an alert on a value waits for the alert, which goes out %s, also after an outage",
  async (_, grouped) => {
    let id = "";
    const { hook, clock, control } = await startInnerDaemon({
      watches: () => ({
        w: { type: "tweet", tweets: [id], when: { likes_count: ">= 1000" }, schedule: "@every 5s" },
      }),
      prepare: async (ask) => {
        await ask("accounts", { username: "loud_one" });
        [id = ""] = (await ask("tweets", { username: "loud_one", text: "a tweet" })).ids;
        await ask(`tweets/${id}`, { likes_count: 10 }, "PATCH");
      },
      more: { route: { sink: "hook", send_resolved: true, ...grouped } },
    });
    const crossAndFall = async () => {
      for (const count of [2_000, 10]) {
        await control(`tweets/${id}`, { likes_count: count }, "PATCH");
        await clock.advance(20 * SECOND);
      }
    };
    const accepted: string[] = [];
    let isRefused: (events: readonly string[]) => boolean = () => false;
    hook.answer(({ body }, response) => {
      const { data } = JSON.parse(body);
      const events = (data.events ?? [data]).map(({ resolved }: { resolved?: unknown }) =>
        resolved === undefined ? "alert" : "end",
      );
      if (isRefused(events)) return void response.writeHead(503).end();
      accepted.push(...events);
      response.end();
    });
    await clock.advance(30 * SECOND);
    // Too few refusals to open the breaker. The alert waits for its next attempt, and the message
    // about its end does not.
    let refusals = 4;
    isRefused = () => refusals-- > 0;
    await crossAndFall();
    await clock.advance(60 * SECOND);
    expect(accepted).toEqual(["alert", "end"]);
    isRefused = () => true;
    await crossAndFall();
    await clock.advance(300 * SECOND);
    // The sink works again, but refuses the alert once more.
    refusals = 1;
    isRefused = (events) => events.includes("alert") && refusals-- > 0;
    await clock.advance(600 * SECOND);
    expect(accepted.slice(2)).toEqual(["alert", "end"]);
  },
);

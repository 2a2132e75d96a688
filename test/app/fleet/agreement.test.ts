/**
 * Tests whole replicas on one state: what one replica learns about its watches changes the plan of
 * all, and the heartbeat is sent once for all.
 */
import { expect, it, onTestFinished } from "vitest";
import { PLANNER_VERSION } from "../../../src/groups/group-polls.ts";
import { makeInnerReplicas } from "../../support/inner-replicas.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const PEOPLE = ["0", "1", "2", "3"] as const;

it("a watch whose account is looked up late is served by the replica that polls the account for another one", async () => {
  const watch = { type: "timeline", schedule: "@every 1m", strategy: "single" };
  const watches = PEOPLE.flatMap((n) => [
    [`early${n}`, { ...watch, accounts: [`@early_${n}`] }],
    [`late${n}`, { ...watch, accounts: [`@late_${n}`] }],
  ]);
  const { clock, control, add, heldBy, hook } = await makeInnerReplicas(
    Object.fromEntries(watches),
  );
  for (const n of PEOPLE) await control("accounts", { username: `early_${n}` });
  const leader = await add();
  await add();
  await clock.advance(10 * SECOND);
  expect([(await heldBy(0)).length, (await heldBy(1)).length]).toEqual([2, 2]);
  for (const n of PEOPLE)
    await control("accounts", { username: `early_${n}`, rename_to: `late_${n}` });
  // The reload looks up the unknown handles again.
  void leader.reload("test");
  await clock.advance(MINUTE);
  for (const n of PEOPLE) await control("tweets", { username: `late_${n}`, text: "new" });
  await clock.advance(2 * MINUTE);
  const tweets = hook.events().filter(({ type }) => type === "tweet.created");
  expect(new Set(tweets.map((event) => event.watch))).toEqual(new Set(watches.map(([id]) => id)));
});

it("a replica of another version of the planner, which knows the group by another key, gets nothing of it", async () => {
  const watches = Object.fromEntries(
    ["1m", "2m"].map((every) => [
      every,
      {
        type: "timeline",
        accounts: PEOPLE.map((n) => `@a${every}_${n}`),
        schedule: `@every ${every}`,
      },
    ]),
  );
  const { clock, control, add, heldBy, hook } = await makeInnerReplicas(watches);
  const names = Object.keys(watches).flatMap((every) => PEOPLE.map((n) => `a${every}_${n}`));
  for (const username of names) await control("accounts", { username });
  await add();
  await add(PLANNER_VERSION + 1);
  await clock.advance(MINUTE);
  expect([(await heldBy(0)).length, (await heldBy(1)).length]).toEqual([2, 0]);
  for (const username of names) await control("tweets", { username, text: "new" });
  await clock.advance(3 * MINUTE);
  expect(hook.events().filter(({ type }) => type === "tweet.created")).toHaveLength(names.length);
});

it("only the one that leads sends the heartbeat", async () => {
  const monitor = await startLoopbackServer();
  onTestFinished(() => monitor.close());
  const watches = { brand: { type: "search", query: "acme", schedule: "@every 1m" } };
  const { clock, add } = await makeInnerReplicas(watches, {
    ops: { heartbeat: { url: monitor.url, interval: "1m" } },
  });
  await add();
  await add();
  const before = monitor.received.length;
  await clock.advance(5 * MINUTE);
  expect([before, monitor.received.length]).toEqual([1, 6]);
});

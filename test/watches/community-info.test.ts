import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

const COMMUNITY = "1493446837214187523";

it("community_info reports a member count that fell below a threshold, once", async () => {
  const fixture = await startWatchFixture("community_info", {
    community: COMMUNITY,
    when: { member_count: "< 70" },
  });
  const before = (await fixture.harness.store.listWatches())[0]?.targets[0]?.memory["values"] as {
    readonly member_count: number;
  };
  expect(before.member_count).toBe(81);
  const { people } = fixture.world;
  for (let key = 100; key < 200; key += 1)
    fixture.control("POST", "accounts", { username: people.usernameOf(key), deleted: true });
  await fixture.minutes(3);
  const [alerts, ...more] = await fixture.alerts();
  expect(more).toEqual([]);
  expect(alerts?.event).toMatchObject({
    type: "community.changed",
    subject: COMMUNITY,
    labels: { author: "alice" },
  });
  expect(alerts?.event.body).toMatchObject({
    community: { name: "Builders", member_count: 42 },
    previous: { member_count: before.member_count },
    crossed: ["member_count"],
  });
  expect(alerts?.message).toMatchObject({
    title: "The community Builders fell to 42 members",
    url: `https://x.com/i/communities/${COMMUNITY}`,
  });
});

it("community_info reports nothing of a description that an answer leaves out", async () => {
  const fixture = await startWatchFixture("community_info", { community: COMMUNITY });
  fixture.control("POST", "faults", { name: "odd_fields", times: 2 });
  await fixture.minutes(10);
  expect(await fixture.alerts()).toEqual([]);
});

import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

const COMMUNITY = "1493446837214187523";

it("community_info tells a member count that fell below a threshold, once", async () => {
  const golden = await startGolden("community_info", { community: COMMUNITY, when: { member_count: "< 70" } });
  const before = (await golden.rig.store.listWatches())[0]?.targets[0]?.memory["values"] as { readonly member_count: number };
  expect(before.member_count).toBe(81);
  const { people } = golden.world;
  for (let key = 100; key < 200; key += 1) golden.control("POST", "accounts", { username: people.usernameOf(key), deleted: true });
  await golden.minutes(3);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "community.changed", subject: COMMUNITY, labels: { author: "alice" } });
  expect(told?.event.body).toMatchObject({
    community: { name: "Builders", member_count: 42 },
    previous: { member_count: before.member_count },
    crossed: ["member_count"],
  });
  expect(told?.message).toMatchObject({
    title: "The community Builders fell to 42 members",
    url: `https://x.com/i/communities/${COMMUNITY}`,
  });
});

it("community_info tells nothing of a description that an answer leaves out", async () => {
  const golden = await startGolden("community_info", { community: COMMUNITY });
  golden.control("POST", "faults", { name: "odd_fields", times: 2 });
  await golden.minutes(10);
  expect(await golden.told()).toEqual([]);
});

import { expect, it } from "vitest";
import { type GoldenRig, startGolden } from "./golden-rig.ts";

const post = (control: GoldenRig["control"]): string =>
  (control("POST", "tweets", { username: "alice", text: "launch day" })["ids"] as readonly string[])[0] ?? "";

it("tweet tells a count that crossed, once, with what it was", async () => {
  let id = "";
  const golden = await startGolden("tweet", (control) => ({ tweets: [(id = post(control))], when: { reply_count: ">= 2" } }));
  for (const text of ["one", "two", "three"]) {
    golden.control("POST", "tweets", { username: "bob", reply_to: id, text });
    await golden.minutes(2);
  }
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "tweet.threshold", subject: id, labels: { author: "alice", kind: "post", target: id } });
  expect(told?.event.body).toMatchObject({ tweet: { id, reply_count: 2 }, previous: { reply_count: 1 }, crossed: ["reply_count"] });
  expect(told?.message).toMatchObject({
    title: expect.stringMatching(/^A post by .*\(@alice\) reached 2 replies$/),
    body: "launch day",
    url: `https://x.com/alice/status/${id}`,
  });
  expect(told?.message.facts).toContainEqual({ name: "Before, replies", value: "1" });
});

it("tweet tells the end of a tweet once, after two answers without it", async () => {
  let id = "";
  const golden = await startGolden("tweet", (control) => ({ tweets: [(id = post(control)), post(control)] }));
  golden.control("DELETE", `tweets/${id}`);
  await golden.minutes(1);
  expect(await golden.told()).toEqual([]);
  await golden.minutes(5);
  const [told, ...more] = await golden.told();
  expect(more).toEqual([]);
  expect(told?.event).toMatchObject({ type: "tweet.deleted", subject: id, body: { tweet: { id, full_text: "launch day" } } });
  expect(told?.message.title).toMatch(/^A post by .*\(@alice\) is gone: deleted, or no longer public$/);
  const asked = golden.billed();
  expect(asked).toEqual({ "tweet-info-bulk": asked["tweet-info-bulk"] });
  golden.control("POST", "restore", { id });
  await golden.minutes(3);
  expect(await golden.told()).toHaveLength(1);
});

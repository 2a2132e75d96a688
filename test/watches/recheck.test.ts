import { expect, it } from "vitest";
import { startGolden } from "./golden-rig.ts";

it("recheck tells a tweet late when where becomes true, and its end, each once", async () => {
  const where = {
    text: "tweet.reply_count >= 1",
    matches: ({ tweet }: { tweet?: { reply_count: number } }) => (tweet?.reply_count ?? 0) >= 1,
  };
  const recheck = { everyMs: 10 * 60_000, untilMs: 2 * 3_600_000 };
  const golden = await startGolden("timeline", { accounts: ["alice"] }, { where, recheck });
  const { ids } = golden.control("POST", "tweets", { username: "alice", text: "launch day" }) as { readonly ids: readonly string[] };
  const [id = ""] = ids;
  await golden.minutes(15);
  const about = async () => (await golden.told()).filter(({ event }) => event.subject === id);
  expect(await about()).toEqual([]);
  golden.control("POST", "tweets", { username: "bob", reply_to: id, text: "congratulations" });
  await golden.minutes(11);
  expect((await about()).map(({ event, message }) => [event.type, message.title])).toEqual([
    ["tweet.created", expect.stringMatching(/\(@alice\) posted$/)],
  ]);
  golden.control("DELETE", `tweets/${id}`);
  await golden.minutes(60);
  const told = await about();
  expect(told.map(({ event }) => event.type)).toEqual(["tweet.created", "tweet.deleted"]);
  expect(told[1]?.message).toMatchObject({
    title: expect.stringMatching(/^A post by .*\(@alice\) is gone: deleted, or no longer public$/),
    body: "launch day",
  });
});

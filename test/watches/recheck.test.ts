import { expect, it } from "vitest";
import { startWatchFixture } from "./watch-fixture.ts";

it("recheck reports a tweet late when where becomes true, and its end, each once", async () => {
  const where = {
    text: "tweet.reply_count >= 1",
    matches: ({ tweet }: { tweet?: { reply_count: number } }) => (tweet?.reply_count ?? 0) >= 1,
  };
  const recheck = { everyMs: 10 * 60_000, untilMs: 2 * 3_600_000 };
  const fixture = await startWatchFixture("timeline", { accounts: ["alice"] }, { where, recheck });
  const { ids } = fixture.control("POST", "tweets", { username: "alice", text: "launch day" }) as {
    readonly ids: readonly string[];
  };
  const [id = ""] = ids;
  await fixture.minutes(15);
  const about = async () => (await fixture.alerts()).filter(({ event }) => event.subject === id);
  expect(await about()).toEqual([]);
  fixture.control("POST", "tweets", { username: "bob", reply_to: id, text: "congratulations" });
  await fixture.minutes(11);
  expect((await about()).map(({ event, message }) => [event.type, message.title])).toEqual([
    ["tweet.created", expect.stringMatching(/\(@alice\) posted$/)],
  ]);
  fixture.control("PATCH", `tweets/${id}`, { full_text: "launch tomorrow" });
  await fixture.minutes(11);
  fixture.control("DELETE", `tweets/${id}`);
  await fixture.minutes(60);
  const alerts = await about();
  expect(alerts.map(({ event }) => event.type)).toEqual([
    "tweet.created",
    "tweet.edited",
    "tweet.deleted",
  ]);
  expect(alerts[1]?.message).toMatchObject({
    title: expect.stringMatching(/^A post by .*\(@alice\) was edited$/),
    body: "launch tomorrow",
    context: { label: "Before the edit", body: "launch day" },
  });
  expect(alerts[2]?.message).toMatchObject({
    title: expect.stringMatching(
      /^A post by .*\(@alice\) of \d{4}-\S+ \S+ UTC is gone: deleted, or no longer public$/,
    ),
    body: "",
    facts: [],
  });
});

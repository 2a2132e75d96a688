import { expect, test } from "vitest";
import { readJournal } from "../../../src/sandbox/records/journal.ts";
import { openSandbox } from "../ask.ts";

test("a world continues from its data as it was left", async () => {
  let text = "";
  const data = () => ({ text, append: (line: string) => void (text += line) });
  const first = await openSandbox({ data: data(), seed: 5 });
  const { ids } = (
    await first.control("POST", "tweets", { username: "alice", text: "zebra", count: 2 })
  ).body;
  await first.control("POST", "accounts", { username: "bob", rename_to: "bobby" });
  await first.control("POST", "follows", { target: "acme", follower: "newcomer" });
  await first.control("DELETE", `tweets/${ids[0]}`);
  const second = await openSandbox({ data: data(), seed: 6 });
  const search = { query: "zebra", order: "latest" };
  expect((await second.post("search-tweets", search)).body).toEqual(
    (await first.post("search-tweets", search)).body,
  );
  expect((await second.get("info?username=bobby")).body).toEqual(
    (await first.get("info?username=bobby")).body,
  );
  expect(
    (await second.post("check-follow", { username_1: "acme", username_2: "newcomer" })).body.follow,
  ).toBe(true);
});

test("data that is no saved world is refused with its line", () => {
  expect(() =>
    readJournal('{"seed":1,"accounts":5,"start_ms":0,"pace":"natural"}\nnonsense\n'),
  ).toThrow("line 2 of the sandbox's data");
});

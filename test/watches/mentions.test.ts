import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { type WatchFixture, startWatchFixture } from "./watch-fixture.ts";

const post = (control: WatchFixture["control"], order: JsonObject): string =>
  (control("POST", "tweets", order)["ids"] as readonly string[])[0] ?? "";

const subjects = async ({ alerts }: WatchFixture) =>
  (await alerts()).map(({ event }) => event.subject);

it("mentions reports who mentions an account, once", async () => {
  const fixture = await startWatchFixture("mentions", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    post(control, { username: "golden_two", text: "@golden_one of before" });
    return { accounts: ["Golden_One"] };
  });
  post(fixture.control, { username: "golden_two", text: "golden_one without a mention" });
  post(fixture.control, { username: "golden_one", text: "@golden_one to itself" });
  const id = post(fixture.control, { username: "golden_two", text: "hello @golden_one" });
  await fixture.minutes(2);
  const [only, ...rest] = await fixture.alerts();
  expect(rest).toEqual([]);
  expect(only?.event).toMatchObject({
    type: "tweet.created",
    subject: id,
    labels: { type: "mentions", target: "Golden_One", author: "golden_two", kind: "post" },
    body: { tweet: { full_text: "hello @golden_one" } },
  });
  expect(only?.message).toMatchObject({
    body: "hello @golden_one",
    url: `https://x.com/golden_two/status/${id}`,
  });
  await fixture.minutes(3);
  expect(await subjects(fixture)).toEqual([id]);
});

it("mentions leaves those below its minimum out, and reports one that reaches it later", async () => {
  const fixture = await startWatchFixture("mentions", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    return { accounts: ["golden_one"], min_replies: 1 };
  });
  const id = post(fixture.control, { username: "golden_two", text: "hello @golden_one" });
  await fixture.minutes(3);
  expect(await subjects(fixture)).toEqual([]);
  post(fixture.control, { username: "alice", text: "yes", reply_to: id });
  await fixture.minutes(3);
  expect(await subjects(fixture)).toEqual([id]);
});

it.each(["golden_one", "an id"])(
  "mentions follows an account named by %s through a rename",
  async (named) => {
    const settings = (control: WatchFixture["control"]) => {
      const { id } = control("POST", "accounts", { username: "golden_one" }) as {
        readonly id: string;
      };
      return { accounts: [named === "an id" ? `id:${id}` : named] };
    };
    const fixture = await startWatchFixture("mentions", settings, {
      schedule: { kind: "every", intervalMs: 60 * 60_000 },
    });
    const before = post(fixture.control, { username: "golden_two", text: "hello @golden_one" });
    await fixture.minutes(62);
    fixture.control("POST", "accounts", { username: "golden_one", rename_to: "golden_new" });
    await fixture.minutes(60);
    const between = post(fixture.control, { username: "golden_two", text: "hello @golden_new" });
    await fixture.minutes(5 * 60);
    const after = post(fixture.control, { username: "golden_two", text: "again @golden_new" });
    await fixture.minutes(62);
    expect(await subjects(fixture)).toEqual([before, between, after]);
    expect(fixture.harness.opsAlerts.map(({ message }) => message)).toEqual([
      "w: @golden_one was renamed to @golden_new and is followed by its id",
    ]);
    await fixture.harness.restart();
    await fixture.minutes(62);
    expect(await subjects(fixture)).toEqual([before, between, after]);
  },
);

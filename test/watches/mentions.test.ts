import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import { type GoldenRig, startGolden } from "./golden-rig.ts";

const post = (control: GoldenRig["control"], order: JsonObject): string =>
  (control("POST", "tweets", order)["ids"] as readonly string[])[0] ?? "";

const subjects = async ({ told }: GoldenRig) => (await told()).map(({ event }) => event.subject);

it("mentions tells who mentions an account, once", async () => {
  const golden = await startGolden("mentions", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    post(control, { username: "golden_two", text: "@golden_one of before" });
    return { accounts: ["Golden_One"] };
  });
  post(golden.control, { username: "golden_two", text: "golden_one without a mention" });
  post(golden.control, { username: "golden_one", text: "@golden_one to itself" });
  const id = post(golden.control, { username: "golden_two", text: "hello @golden_one" });
  await golden.minutes(2);
  const [only, ...rest] = await golden.told();
  expect(rest).toEqual([]);
  expect(only?.event).toMatchObject({
    type: "tweet.created",
    subject: id,
    labels: { type: "mentions", target: "Golden_One", author: "golden_two", kind: "post" },
    body: { tweet: { full_text: "hello @golden_one" } },
  });
  expect(only?.message).toMatchObject({ body: "hello @golden_one", url: `https://x.com/golden_two/status/${id}` });
  await golden.minutes(3);
  expect(await subjects(golden)).toEqual([id]);
});

it("mentions leaves those below its minimum out, and tells one that reaches it later", async () => {
  const golden = await startGolden("mentions", (control) => {
    control("POST", "accounts", { username: "golden_one" });
    return { accounts: ["golden_one"], min_replies: 1 };
  });
  const id = post(golden.control, { username: "golden_two", text: "hello @golden_one" });
  await golden.minutes(3);
  expect(await subjects(golden)).toEqual([]);
  post(golden.control, { username: "alice", text: "yes", reply_to: id });
  await golden.minutes(3);
  expect(await subjects(golden)).toEqual([id]);
});

it.each(["golden_one", "an id"])("mentions follows an account named by %s through a rename", async (named) => {
  const settings = (control: GoldenRig["control"]) => {
    const { id } = control("POST", "accounts", { username: "golden_one" }) as { readonly id: string };
    return { accounts: [named === "an id" ? `id:${id}` : named] };
  };
  const golden = await startGolden("mentions", settings, { schedule: { kind: "every", intervalMs: 60 * 60_000 } });
  const before = post(golden.control, { username: "golden_two", text: "hello @golden_one" });
  await golden.minutes(62);
  golden.control("POST", "accounts", { username: "golden_one", rename_to: "golden_new" });
  await golden.minutes(60);
  const between = post(golden.control, { username: "golden_two", text: "hello @golden_new" });
  await golden.minutes(5 * 60);
  const after = post(golden.control, { username: "golden_two", text: "again @golden_new" });
  await golden.minutes(62);
  expect(await subjects(golden)).toEqual([before, between, after]);
  expect(golden.rig.opsAlerts.map(({ message }) => message)).toEqual([
    "w: @golden_one was renamed to @golden_new and is followed by its id",
  ]);
  await golden.rig.restart();
  await golden.minutes(62);
  expect(await subjects(golden)).toEqual([before, between, after]);
});

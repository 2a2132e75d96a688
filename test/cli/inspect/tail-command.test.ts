/** Tests `tail` beside a daemon that is killed and started again, and without one. */
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { cleanUpAfterwards, createFixture, type Fixture, noted } from "../../e2e/fixture.ts";
import { runCommand, startCommand } from "../../support/run-command.ts";
import { until } from "../../support/until.ts";

cleanUpAfterwards();

let fixture: Fixture;
beforeEach(async () => {
  fixture = await createFixture();
  fixture.configure({
    watches: {
      brand: { type: "search", query: "acme" },
      other: { type: "search", query: "nobody writes this" },
    },
  });
});

const follow = (...args: string[]) =>
  startCommand(["tail", ...args, "-c", join(fixture.folder, "watches.yaml")]);

it("shows events and deliveries as they happen, goes on after a kill of the daemon, and ends with 0 at ctrl-C", async () => {
  const { api } = fixture;
  api.post("search:acme");
  const first = await fixture.startProcess();
  const tail = follow();
  const strict = follow("--watch", "other");
  const asJson = follow("--sink", "hook", "--json");
  for (const one of [tail, strict, asJson])
    await until(
      "it follows",
      () => one.err().includes("following the daemon; ctrl-C ends"),
      one.err,
    );
  await noted(first, "brand");
  const [id] = api.post("search:acme");
  await until(
    "both lines",
    () => / sent +hook {2}1 alert, of brand, message /.test(tail.out()),
    () => tail.out() + tail.err(),
  );
  await until("both lines as JSON", () => asJson.out().includes('"delivery"'), asJson.err);
  expect(tail.out()).toMatch(
    new RegExp(
      `^\\d\\d:\\d\\d:\\d\\d {2}event +brand {2}.+ posted {2}https://x\\.com/\\S+/status/${id} {2}-> hook$`,
      "m",
    ),
  );
  first.kill("SIGKILL");
  await first.gone;
  await until(
    "it waits",
    () => tail.err().includes("the daemon no longer answers: waiting for it"),
    tail.err,
  );
  await fixture.start();
  await until("it follows again", () => tail.err().includes("the daemon answers again"), tail.err);
  const [later = ""] = api.post("search:acme");
  await until(
    "the later one",
    () => tail.out().includes(later) && /sent.*\n.*sent/s.test(tail.out()),
    () => tail.out() + tail.err(),
  );
  for (const one of [tail, strict, asJson]) {
    one.kill("SIGINT");
    expect(await one.gone).toMatchObject({ code: 0 });
  }
  expect(strict.out()).toBe("");
  const lines = asJson
    .out()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, 2)).toMatchObject([
    { kind: "event", watch: "brand", sinks: ["hook"] },
    { kind: "delivery", sink: "hook", outcome: "sent", alerts: [{ watch: "brand" }] },
  ]);
});

it("without a daemon it says so, and what is none is named", async () => {
  const run = (...args: string[]) => runCommand(["tail", ...args], { cwd: fixture.folder });
  expect(await run()).toEqual({
    code: 1,
    out: "",
    err: expect.stringMatching(
      /^no daemon is running here on the state \S+\nStart it with `chirpwatch run`\.\n$/,
    ),
  });
  expect(await run("--watch", "brant")).toEqual({
    code: 1,
    out: "",
    err: 'there is no watch "brant"\nDid you mean brand? Known names: brand, other\n',
  });
  expect(await run("--sink", "hok")).toMatchObject({
    code: 1,
    err: expect.stringContaining("Did you mean hook?"),
  });
});

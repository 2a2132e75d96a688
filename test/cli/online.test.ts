/**
 * Tests `validate --online` and `plan --online`: their requests to the service, and what they
 * print.
 */
import { expect, it } from "vitest";
import { makeFolder } from "../support/bin-process.ts";
import { writeConfig } from "../support/daemon-process.ts";
import { json, startLoopbackServer } from "../support/loopback-server.ts";
import { runCommand } from "../support/run-command.ts";
import { cleanUpAfterwards } from "../e2e/fixture.ts";

cleanUpAfterwards();

const CONFIG = {
  version: 1,
  api: { quota: { monthly: 100_000 } },
  state: { path: "state.db" },
  watches: {
    fresh: {
      type: "new_followers",
      accounts: ["acme", "nobody_has_it"],
      source: "all",
      schedule: "@every 5m",
      max_pages: 5,
    },
    posts: { type: "timeline", accounts: ["rival"] },
  },
  sinks: { terminal: { type: "console" } },
  ops: { sink: "terminal" },
};

it("say how long member lists are, what reading them takes, and what asking has cost", async () => {
  const folder = makeFolder();
  writeConfig(folder, CONFIG);
  const run = (...args: readonly string[]) => runCommand(args, { cwd: folder });
  const validated = await run("validate", "--online");
  expect(validated.err).toBe("");
  expect(validated.out).toContain(
    "Online: asked how long the list of 1 account is, 1 request (paid); the service does not know nobody_has_it.",
  );
  expect(validated.out).toMatch(
    /^fresh: the list of @acme has 18,\d{3} members; the first full read takes 9\d requests and less than a day/m,
  );
  const planned = await run("plan", "--online");
  expect(planned.out).toMatch(/^ {2}fresh: the list of @acme has 18,\d{3} members/m);
  expect(planned.out).toContain("1 request (paid)");
  const json = JSON.parse((await run("validate", "--online", "--json")).out);
  expect(json).toMatchObject({
    ok: true,
    online: { requests: 1, accounts: 1, missing: ["nobody_has_it"] },
    long_lists: [{ watch: "fresh", target: "acme" }],
  });
});

it("ask nothing where no list is read, and nothing without the flag", async () => {
  const folder = makeFolder();
  writeConfig(folder, { ...CONFIG, watches: { posts: CONFIG.watches.posts } });
  expect((await runCommand(["validate", "--online"], { cwd: folder })).out).toContain(
    "Online: nothing to ask, no watch reads the member list of an account.",
  );
  expect((await runCommand(["plan", "--json"], { cwd: folder })).out).toContain('"online": null');
});

it("validate --online refuses a token that its chat refuses, at the place of the sink", async () => {
  const slack = await startLoopbackServer(json({ ok: false, error: "token_revoked" }));
  const folder = makeFolder();
  const brand = {
    type: "slack",
    token: "${T:-xoxb-1}",
    channel: "#b",
    api_url: `${slack.url}/api/`,
  };
  const sinks = { terminal: { type: "console" }, brand };
  const route = { sink: ["terminal", "brand"] };
  writeConfig(folder, { ...CONFIG, watches: { posts: CONFIG.watches.posts }, sinks, route });
  const offline = await runCommand(["validate"], { cwd: folder });
  const { code, out, err } = await runCommand(["validate", "--online"], { cwd: folder });
  const printed = JSON.parse(
    (await runCommand(["validate", "--online", "--json"], { cwd: folder })).out,
  );
  await slack.close();
  expect([offline.code, code]).toEqual([0, 78]);
  expect(err).toMatch(
    /watches\.yaml:\d+:5 {2}Slack answers token_revoked to the `token` of `brand`/,
  );
  expect(out).not.toContain("is valid");
  expect(printed).toMatchObject({ ok: false, issues: [{ rule: "chat-online" }] });
});

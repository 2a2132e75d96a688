/** Tests the `test` command, against one sandbox and a stand-in for Slack. */
import { beforeAll, describe, expect, it } from "vitest";
import { makeFolder } from "../../support/bin-process.ts";
import { json, type LoopbackServer, startLoopbackServer } from "../../support/loopback-server.ts";
import { runCommand } from "../../support/run-command.ts";
import { type SandboxProcess, startSandboxHere } from "../../support/sandbox-process.ts";
import { cleanUpAfterwards, keep } from "../../e2e/fixture.ts";

cleanUpAfterwards();

let sandbox: SandboxProcess;
let slack: LoopbackServer;
beforeAll(async () => {
  sandbox = keep(await startSandboxHere());
  slack = keep(await startLoopbackServer(json({ ok: true, ts: "1.2", channel: "C1" })));
});

const folderWith = (baseUrl = sandbox.url, key = "K1"): string =>
  makeFolder({
    "watches.yaml": `version: 1
api: { base_url: "${baseUrl}", key: ${key} }
state: { path: state.db }
watches:
  posts: { type: timeline, accounts: [alice], include: { replies: false, retweets: false }, where: 'tweet.likes_count >= 1', sink: brand }
  nobody: { type: timeline, accounts: [nobody_here_9], sink: brand }
  never: { type: search, query: acme, where: 'tweet.likes_count < 0', sink: brand, enrich: { url: "https://rate.example/token" } }
sinks:
  brand: { type: slack, token: xoxb-1, channel: "#brand", api_url: "${slack.url}/api/" }
  real: { type: slack, token: xoxb-1, channel: "#brand" }
ops: { sink: [brand, real] }
`,
  });
const test = (args: readonly string[], cwd = folderWith()) =>
  runCommand(["test", ...args], { cwd });

describe("test of a watch", () => {
  it("says what it costs, shows what would raise an alert and why the rest would not, and sends nothing", async () => {
    const [before, sent] = [await sandbox.billed(), slack.received.length];
    const { code, out } = await test(["posts"]);
    expect(out).toContain("Polling posts once: costs 2 requests, 1 of them to look accounts up.");
    expect(out).toMatch(/Would raise an alert, if new: [1-9]\d* of \d+ items/);
    expect(out).toMatch(/• \d{4}-.*\[posts\] Alice Moreau \(@alice\) (?:posted|quoted)/);
    expect(out).toMatch(
      /because a (?:reply, and include\.replies|retweet, and include\.retweets) is false/,
    );
    expect(out).toContain("2 requests spent. Nothing was sent or stored.");
    expect(code).toBe(0);
    expect((await sandbox.billed()) - before).toBe(2);
    expect(slack.received.length).toBe(sent);
  });

  it("delivers the latest match with --send, marked as a sample", async () => {
    const { code, err } = await test(["posts", "--send"]);
    expect(err).toContain("The latest match was sent to brand (#brand), marked as a sample.");
    expect(code).toBe(0);
    expect(slack.received.at(-1)?.url).toBe("/api/chat.postMessage");
    expect(decodeURIComponent(slack.received.at(-1)?.body ?? "").toLowerCase()).toContain("sample");
  });

  it("has nothing to send when nothing matches, and says so", async () => {
    const { code, err, out } = await test(["never", "--send"]);
    expect(out).toContain("because where is false: tweet.likes_count < 0");
    expect(err).toContain("there is nothing to send");
    expect(code).toBe(1);
  });

  it("fails when the service knows none of the accounts", async () => {
    const { code, out } = await test(["nobody"]);
    expect(out).toContain("nobody_here_9: the service does not know an account with that handle");
    expect(code).toBe(1);
  });

  it("names the host that is asked about alerts, without the rest of the address, and sends it nothing", async () => {
    const { out } = await test(["never"]);
    expect(out).toContain(
      "Alerts of never wait for an answer from rate.example (enrich), which was not asked here.",
    );
    expect(out).not.toContain("token");
  });

  it("gives verdicts and reasons as JSON", async () => {
    const { out } = await test(["never", "--json"]);
    const tried = JSON.parse(out);
    expect(tried).toMatchObject({ watch: "never", requests: 1 });
    expect(tried.targets[0].items[0]).toMatchObject({
      verdict: "filtered",
      detail: expect.stringMatching(
        /^where is false: tweet\.likes_count < 0 \(tweet\.likes_count is \d+\)$/,
      ),
      type: "tweet.created",
    });
  });

  it("names the nearest watch for one that is none, and wants one of the two", async () => {
    expect(await test(["post"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("did you mean `posts`?") as string,
    });
    expect(await test([])).toMatchObject({ code: 2 });
  });
});

describe("test of a sink", () => {
  it("sends one labelled sample", async () => {
    const { code, out } = await test(["--sink", "brand"]);
    expect(out).toBe("A sample message was sent to brand (#brand).\n");
    expect(code).toBe(0);
    expect(decodeURIComponent(slack.received.at(-1)?.body ?? "").toLowerCase()).toContain("sample");
  });

  it("answers a refusal with the cure", async () => {
    const before = slack.received.length;
    slack.answer(json({ ok: false, error: "not_in_channel" }));
    const { code, err } = await test(["--sink", "brand"]);
    slack.answer(json({ ok: true, ts: "1.2", channel: "C1" }));
    expect(err).toBe("Slack refuses #brand: not_in_channel\ninvite @chirpwatch to #brand\n");
    expect(code).toBe(1);
    expect(slack.received.length).toBe(before + 1);
  });
});

describe("with the bundled sandbox", () => {
  it("polls it, and sends to a sink on this machine", async () => {
    const { code, err } = await test(["posts", "--send"], folderWith("sandbox", "sandbox"));
    expect(err).toContain("marked as a sample");
    expect(code).toBe(0);
  });

  it("sends nothing to real people", async () => {
    const { code, err } = await test(["--sink", "real"], folderWith("sandbox", "sandbox"));
    expect(err).toContain("refusing to send invented tweets to real");
    expect(code).toBe(78);
  });
});

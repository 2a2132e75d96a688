/**
 * Tests `chirpwatch sandbox`: big worlds start as quickly as small ones, and unusable data ends it
 * with an error message.
 */
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cleanUp, makeFolder } from "../support/bin-process.ts";
import { runCommand } from "../support/run-command.ts";
import { startSandboxCommand } from "../support/sandbox-process.ts";

afterAll(cleanUp);

const statusOf = async (
  sandbox: { readonly url: string; readonly key: string },
  username: string,
) =>
  (await fetch(`${sandbox.url}/v3/info?username=${username}`, { headers: { ApiKey: sandbox.key } }))
    .status;

describe("the sandbox", () => {
  // How quickly it starts is tested in test/sandbox/world.test.ts.
  it("answers with 100,000 accounts", async () => {
    const sandbox = await startSandboxCommand(["--accounts", "100000"]);
    expect(await statusOf(sandbox, "acme")).toBe(200);
    const members = await fetch(`${sandbox.url}/v3/community-info`, {
      method: "POST",
      headers: { ApiKey: sandbox.key, "Content-Type": "application/json" },
      body: JSON.stringify({ community_id: "1493446837214187523" }),
    });
    expect(
      ((await members.json()) as { readonly member_count: number }).member_count,
    ).toBeGreaterThan(30_000);
  });

  it("serves recorded users beside its own, and with --accounts 0 instead of them", async () => {
    const folder = makeFolder({
      "recorded.ndjson": '{"type":"user","id":"7","username":"visitor"}\n',
    });
    const data = ["--data", join(folder, "recorded.ndjson")];
    const instead = await startSandboxCommand(["--accounts", "0", ...data]);
    expect([await statusOf(instead, "visitor"), await statusOf(instead, "acme")]).toEqual([
      200, 404,
    ]);
    const lines = await (await fetch(`${instead.url}/_sandbox/export`)).text();
    const other = makeFolder({ "recorded.ndjson": lines });
    const beside = await startSandboxCommand([
      "--accounts",
      "10",
      "--data",
      join(other, "recorded.ndjson"),
    ]);
    expect([await statusOf(beside, "visitor"), await statusOf(beside, "acme")]).toEqual([200, 200]);
  });

  it("refuses a broken line by file, line and cure, and leaves the file alone", async () => {
    const text = '{"type":"user","id":"7","username":"visitor"}\n{"type":"usr"}\n';
    const folder = makeFolder({ "recorded.ndjson": text });
    const path = join(folder, "recorded.ndjson");
    const refused = async () =>
      runCommand(["sandbox", "--listen", "127.0.0.1:0", "--data", path], { cwd: folder });
    const { code, err } = await refused();
    expect(code).toBe(2);
    expect(err).toContain(`line 2 of ${path} is of type "usr"\nWrite one of user, tweet, list`);
    expect((await refused()).err).toBe(err);
  });

  it("refuses orders it cannot follow with the exit code of a wrong command line, and a taken port with that of an address", async () => {
    const folder = makeFolder();
    const { url } = await startSandboxCommand();
    const taken = new URL(url).host;
    const cases: readonly (readonly [readonly string[], number, string])[] = [
      [["--listen", "0.0.0.0:0"], 2, "loopback addresses only, not on 0.0.0.0"],
      [["--listen", "127.0.0.1:99999"], 2, "write address:port"],
      [["--listen", taken], 73, `cannot listen on ${taken}`],
      [["--listen", "0", "--accounts", "99999999999999"], 2, "at most 2000000"],
      [["--listen", "0", "--key", ""], 2, "write a key"],
    ];
    for (const [options, exitCode, reason] of cases) {
      const { code, err } = await runCommand(["sandbox", ...options], { cwd: folder });
      expect([options, code, err]).toEqual([options, exitCode, expect.stringContaining(reason)]);
    }
  });
});

/**
 * Tests how environment variables of a container set where the daemon listens, through the built
 * program. The configuration says nothing about it.
 */
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cleanUp, makeFolder } from "../../support/bin-process.ts";
import { runCommand } from "../../support/run-command.ts";
import { startDaemonHere, writeConfig } from "../../support/daemon-process.ts";

afterAll(cleanUp);

const CONFIG = {
  server: { listen: "127.0.0.1:1" },
  watches: { mentions: { type: "search", query: "acme" } },
  sinks: { terminal: { type: "console" } },
  ops: { sink: "terminal" },
};

describe("run with the server's address in the environment", () => {
  it("listens there, makes the token that is missing, keeps it over a restart, and never writes it to a log", async () => {
    const folder = makeFolder();
    writeConfig(folder, CONFIG);
    const path = join(folder, "data", "server-token");
    const env = { CHIRPWATCH_SERVER_LISTEN: "0.0.0.0:0", CHIRPWATCH_SERVER_TOKEN_FILE: path };
    const made: string[] = [];
    for (const times of [1, 0]) {
      const daemon = await startDaemonHere({ folder, env });
      const token = readFileSync(path, "utf8").trim();
      made.push(token);
      const answer = (headers: Record<string, string>) =>
        fetch(`${daemon.url}/api/v1/status`, { headers }).then(({ status }) => status);
      expect([await answer({}), await answer({ authorization: `Bearer ${token}` })]).toEqual([
        401, 200,
      ]);
      const lines = daemon.log().filter(({ msg }) => msg === "server token made");
      expect(lines.map((line) => line["path"])).toEqual(times === 1 ? [path] : []);
      daemon.kill("SIGTERM");
      const { code, out, err } = await daemon.gone;
      expect(code).toBe(0);
      expect(out + err).not.toContain(token);
    }
    expect(made[1]).toBe(made[0]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("ends with 78 and the names of the variables when nothing names a token", async () => {
    const folder = makeFolder();
    writeConfig(folder, CONFIG);
    const { code, err } = await runCommand(["run"], {
      cwd: folder,
      env: { CHIRPWATCH_SERVER_LISTEN: "0.0.0.0:0" },
    });
    expect(code).toBe(78);
    expect(err).toContain("set CHIRPWATCH_SERVER_TOKEN or CHIRPWATCH_SERVER_TOKEN_FILE");
  });
});

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withServerToken } from "../../../src/cli/start/server-token.ts";
import { createLogger } from "../../../src/runtime/logger.ts";
import { createSystemRandom } from "../../../src/runtime/system-random.ts";

let folder = "";
let lines: string[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-token-"));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const stream = {
  writableLength: 0,
  write: (text: string) => lines.push(text) > 0,
  on: () => undefined,
};
const deps = () => ({
  random: createSystemRandom(),
  log: createLogger({ stream, format: "json" }),
});
const open = (newTokenFile: string) => ({ host: "0.0.0.0", port: 9464, newTokenFile });

describe("a server whose token is yet to be made", () => {
  it("gets one that only this user can read, and the log gets its path, not the token", async () => {
    const path = join(folder, "data", "server-token");
    const { token = "", ...rest } = await withServerToken(open(path), deps());
    expect(rest).toEqual({ host: "0.0.0.0", port: 9464 });
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(readFileSync(path, "utf8")).toBe(`${token}\n`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(lines.join("")).toContain(path);
    expect(lines.join("")).not.toContain(token);
  });

  it("never loses a token that came into being meanwhile", async () => {
    const path = join(folder, "server-token");
    writeFileSync(path, "another process's");
    await expect(withServerToken(open(path), deps())).rejects.toMatchObject({
      code: "SERVER_TOKEN_CANNOT_WRITE",
      exitCode: 73,
    });
    expect(readFileSync(path, "utf8")).toBe("another process's");
  });

  it("says in a sentence why it cannot be written", async () => {
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, "file", "server-token");
    await expect(withServerToken(open(path), deps())).rejects.toMatchObject({
      exitCode: 73,
      message: expect.stringMatching(/^cannot write the server's token to .*server-token: /),
      hint: "let this user write to that folder, or set CHIRPWATCH_SERVER_TOKEN",
    });
  });
});

describe("a server that has its token, or needs none", () => {
  it("stays as it is", async () => {
    const server = { host: "0.0.0.0", port: 9464, token: "t" };
    expect(await withServerToken(server, deps())).toBe(server);
    expect(lines).toEqual([]);
  });
});

/** Commands that need no daemon. */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { registrationOf } from "../../src/operate/changes/registration-of.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../config/load-text.ts";
import { openTemp } from "../state/temp-state.ts";
import { BIN, cleanUp, makeFolder, runBin } from "../support/bin-process.ts";
import { runCommand } from "../support/run-command.ts";

afterAll(cleanUp);

const GOOD = `version: 1
watches:
  mentions: { type: search, query: acme, sink: terminal }
  old: { type: search, query: acme, sink: terminal, enabled: false }
sinks:
  terminal: { type: console }
ops: { sink: terminal }
`;

const BAD = `version: 1
watches:
  mentions: { type: search, query: acme, sink: terminal, wheree: "true" }
sinks:
  terminal: { type: consol }
`;

describe("validate", () => {
  it("names watches and sinks of a good file in one line", async () => {
    const { code, out, err } = await runCommand(["validate"], {
      cwd: makeFolder({ "watches.yaml": GOOD }),
    });
    expect(err).toBe("");
    expect(out).toBe(
      "watches.yaml is valid: watches mentions, old (disabled); sinks terminal (console)\n",
    );
    expect(code).toBe(0);
  });

  it("shows warnings and still succeeds", async () => {
    const text = GOOD.replace("ops: { sink: terminal }\n", "");
    const { code, out } = await runCommand(["validate"], {
      cwd: makeFolder({ "watches.yaml": text }),
    });
    expect(out).toMatch(/^\S*watches\.yaml:\d+:\d+ {2}warning: .*ops/m);
    expect(out).toMatch(/is valid: .*, 1 warning$/m);
    expect(code).toBe(0);
  });

  it("shows every error with its place, and ends with 78", async () => {
    const { code, out, err } = await runCommand(["validate", "-c", "bad.yaml"], {
      cwd: makeFolder({ "bad.yaml": BAD }),
    });
    expect(out).toBe("");
    expect(err).toMatch(/^\S*bad\.yaml:3:58 {2}unknown key `wheree`; did you mean `where`\?$/m);
    expect(err).toMatch(
      /^\S*bad\.yaml:5:21 {2}"consol" is not a sink type; did you mean `console`\?$/m,
    );
    expect(err).toMatch(/^bad\.yaml: 2 errors$/m);
    expect(code).toBe(78);
  });

  it("says the same as JSON", async () => {
    const cwd = makeFolder({ "watches.yaml": GOOD, "bad.yaml": BAD });
    const good = await runCommand(["validate", "--json"], { cwd });
    expect(JSON.parse(good.out)).toMatchObject({
      ok: true,
      issues: [],
      watches: [{ id: "mentions", type: "search", enabled: true }, { id: "old" }],
    });
    const bad = await runCommand(["validate", "--json", "-c", "bad.yaml"], { cwd });
    const report = JSON.parse(bad.out) as { ok: boolean; issues: { rule: string; line: number }[] };
    expect(report.ok).toBe(false);
    expect(
      report.issues.filter(({ rule }) => rule !== "no-ops").map(({ rule, line }) => [rule, line]),
    ).toEqual([
      ["unknown-key", 3],
      ["sink-type", 5],
    ]);
    expect(bad.code).toBe(78);
  });

  it("refuses what run refuses, in the same words: invented tweets on their way to real people", async () => {
    const api =
      "api: { base_url: '${CHIRPWATCH_API_URL:-sandbox}', key: '${CHIRPWATCH_API_KEY:-sandbox}' }\n";
    const text =
      api +
      GOOD.replace(
        "{ type: console }",
        '{ type: slack, token: "${TOKEN}", channel: "#brand" }',
      ).replace("ops: { sink: terminal }\n", "");
    const options = {
      cwd: makeFolder({ "watches.yaml": text }),
      env: { TOKEN: "xoxb-0123456789abcdef" },
    };
    const validated = await runCommand(["validate"], options);
    const started = await runCommand(["run"], options);
    const [refusal] = started.err
      .split("\n")
      .filter((line) => line.includes("refusing to send invented tweets to terminal"));
    expect(validated.err.split("\n")).toContain(refusal);
    expect(validated.err).toMatch(/^watches\.yaml: 1 error$/m);
    expect(validated.err).toMatch(/warning: .*ops/);
    expect(validated.out).toBe("");
    expect([validated.code, started.code]).toEqual([78, 78]);
    const set = {
      ...options.env,
      CHIRPWATCH_API_URL: "https://data.example.com",
      CHIRPWATCH_API_KEY: "k",
    };
    expect((await runCommand(["validate"], { ...options, env: set })).code).toBe(0);
  });

  it("says which file is missing", async () => {
    const { code, err } = await runCommand(["validate"], { cwd: makeFolder() });
    expect(err).toContain("watches.yaml");
    expect(code).toBe(78);
  });
});

describe("validate beside a state", () => {
  it("warns of a watch that has another name there, and counts it", async () => {
    const text = GOOD.replace(/ {2}old: .*\n/, "");
    const cwd = makeFolder({ "watches.yaml": text });
    const store = await openTemp(join(cwd, "data/chirpwatch.db"));
    const [watch] = (await goodConfig(text)).watches;
    await store.registerWatches(
      watch === undefined ? [] : [{ ...registrationOf(sha256, watch), id: "former" }],
      0,
    );
    await store.close();
    const { code, out } = await runCommand(["validate"], { cwd });
    expect(out).toMatch(
      /watches\.yaml:\d+:\d+  warning: `\w+` looks like the watch `former` that the state knows: write `moved_from: former`/,
    );
    expect(out).toMatch(/1 warning\n$/);
    expect(code).toBe(0);
  });

  it("does without one that cannot be read", async () => {
    const cwd = makeFolder({ "watches.yaml": GOOD });
    mkdirSync(join(cwd, "data"));
    writeFileSync(join(cwd, "data/chirpwatch.db"), "no database");
    expect((await runCommand(["validate"], { cwd })).code).toBe(0);
  });
});

describe("the command line", () => {
  it.each(["nonsense", "validate --nonsense", "init email", "pause"])(
    "`chirpwatch %s` is a usage error",
    async (line) => {
      const { code, err } = await runCommand(line.split(" "), { cwd: makeFolder() });
      expect(err).toMatch(/^error: /);
      expect(code).toBe(2);
    },
  );

  it("lists every command, and each has an example that names it", async () => {
    const cwd = makeFolder();
    // Loads every command, so that one missing in the build fails here.
    const { out, code } = await runBin(["--help"], { cwd });
    expect(code).toBe(0);
    expect(out).toContain("Example:");
    const names = [
      ...out.slice(out.indexOf("Commands:"), out.indexOf("Example:")).matchAll(/^ {2}([a-z]+) /gm),
    ]
      .map(([, name]) => name ?? "")
      .filter((name) => name !== "help");
    expect(names).toEqual(
      expect.arrayContaining([
        "run",
        "demo",
        "init",
        "validate",
        "pause",
        "resume",
        "health",
        "sandbox",
      ]),
    );
    const helps = await Promise.all(
      names.map(async (name) => ({
        name,
        help: (await runCommand([name, "--help"], { cwd })).out,
      })),
    );
    for (const { name, help } of helps)
      expect(help, name).toMatch(new RegExp(`\\nExamples?:\\n(.*\\n)*? {2}chirpwatch ${name}`));
  });

  it("says nothing when the reader of its output has left", async () => {
    const cwd = makeFolder();
    const lines = Array.from(
      { length: 1_000 },
      (_, i) => `  w${i}: { type: search, query: acme, sink: terminal, bad: 1 }\n`,
    ).join("");
    writeFileSync(
      join(cwd, "watches.yaml"),
      `version: 1\nwatches:\n${lines}sinks:\n  terminal: { type: console }\n`,
    );
    const child = spawn(process.execPath, [BIN, "validate", "--json"], {
      cwd,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((done) => child.once("close", done));
    expect(err).toBe("watches.yaml: 1,000 errors\n");
    expect(code).toBe(78);
  });
});

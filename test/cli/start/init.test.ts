/** Tests `chirpwatch init`: what it writes, what it refuses, what it asks. */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { askStarter } from "../../../src/cli/start/ask-starter.ts";
import { checkStarter } from "../../../src/cli/start/check-starter.ts";
import { starterFiles } from "../../../src/cli/start/init-files.ts";
import { parseDotEnv } from "../../../src/runtime/environment.ts";
import { BIN, cleanUp, makeFolder } from "../../support/bin-process.ts";
import { startLoopbackServer } from "../../support/loopback-server.ts";
import { runCommand } from "../../support/run-command.ts";
import { skipAloud } from "../../support/skip-aloud.ts";

afterEach(cleanUp);

const init = (line: readonly string[], cwd: string, env: Record<string, string> = {}) =>
  runCommand(["init", ...line], { cwd, env });
const readConfig = (cwd: string, path = "watches.yaml") =>
  parse(readFileSync(join(cwd, path), "utf8")) as {
    readonly watches: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly sinks: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };

const FILLED_IN = {
  CHIRPWATCH_API_URL: "https://data.example.org",
  CHIRPWATCH_API_KEY: "k",
  SLACK_BOT_TOKEN: "xoxb-1",
  DISCORD_WEBHOOK_URL: "https://discord.com/api/webhooks/1/t",
  WEBHOOK_URL: "https://example.org/",
  WEBHOOK_SECRET: "long-random-text",
};

describe("init", () => {
  it.each([
    ["slack"],
    ["discord"],
    ["webhook"],
    ["slack --search acme --channel #news"],
    ["discord --account alice --account @bob"],
  ])("%s: writes files that pass validate with the variables of .env.example", async (line) => {
    const cwd = makeFolder();
    const { code, out, err } = await init(line.split(" "), cwd);
    expect([code, err]).toEqual([0, ""]);
    expect(readdirSync(cwd).sort()).toEqual([
      ".env.example",
      "watches.schema.json",
      "watches.yaml",
    ]);
    const env = parseDotEnv(readFileSync(join(cwd, ".env.example"), "utf8"));
    const unset = await runCommand(["validate"], { cwd });
    expect(unset.err).toContain("CHIRPWATCH_API_URL is not set");
    const copied = await runCommand(["validate"], { cwd, env });
    const unfilled = Object.keys(env).map(
      (name) => `${name} still has the sample value of .env.example: put yours into .env`,
    );
    expect(copied.out.match(/warning: (.*)$/gm)).toEqual(
      expect.arrayContaining(unfilled.map((text) => `warning: ${text}`)),
    );
    expect([copied.code, copied.err]).toEqual([0, ""]);
    const set = await runCommand(["validate"], { cwd, env: FILLED_IN });
    expect([set.code, set.err]).toEqual([0, ""]);
    expect(set.out).toMatch(/^watches\.yaml is valid: watches [\w-]+; sinks \w+ \(\w+\)\n$/);
    expect(out).toContain(`chirpwatch test --sink ${Object.keys(readConfig(cwd).sinks)[0]} `);
  });

  it("says what the file costs a month, as `plan` says it", async () => {
    const cwd = makeFolder();
    const { out } = await init(["slack", "--search", "acme", "--account", "alice"], cwd);
    const plan = await runCommand(["plan", "--json"], {
      cwd,
      env: { ...FILLED_IN, CHIRPWATCH_API_URL: "https://127.0.0.1:1" },
    });
    const { total } = JSON.parse(plan.out) as { total: { requests_per_month: number } };
    expect(total.requests_per_month).toBeGreaterThan(8_000);
    expect(out).toContain(
      `cost about ${Math.round(total.requests_per_month).toLocaleString("en-US")} requests a month`,
    );
  });

  it("writes what was asked for: the search as it stands, the accounts, the channel", async () => {
    const cwd = makeFolder();
    const query = '("acme ${corp}" OR $ACME) -from:acme';
    await init(
      [
        "slack",
        "--search",
        query,
        "--account",
        "@alice",
        "--account",
        "bob",
        "--channel",
        "C0123456789",
      ],
      cwd,
    );
    const loaded = await checkStarter({
      config: readFileSync(join(cwd, "watches.yaml"), "utf8"),
      env: readFileSync(join(cwd, ".env.example"), "utf8"),
    });
    if (!loaded.ok) throw new Error(loaded.message);
    expect(loaded.config.watches.map(({ type, settings }) => [type, settings])).toMatchObject([
      ["search", { query }],
      ["timeline", { accounts: [{ name: "alice" }, { name: "bob" }] }],
    ]);
    expect(readConfig(cwd).sinks).toMatchObject({ brand: { channel: "C0123456789" } });
  });

  it("names the JSON Schema by a path within the folder, so that the folder can be moved", async () => {
    const cwd = makeFolder();
    await init(["slack"], cwd);
    const [, schema = ""] =
      /\$schema=(.*)/.exec(readFileSync(join(cwd, "watches.yaml"), "utf8")) ?? [];
    expect(schema).toBe("./watches.schema.json");
    expect(JSON.parse(readFileSync(resolve(cwd, schema), "utf8"))).toHaveProperty(
      "properties.watches",
    );
  });

  it("docker: writes a folder for Docker Compose, hardened as the compose file of a checkout", async () => {
    const cwd = makeFolder();
    const { code, out, err } = await init(["docker", "--account", "alice"], cwd);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toContain("docker compose up -d");
    expect(readdirSync(cwd).sort()).toEqual([".env.example", "compose.yaml", "watches"]);
    const set = await runCommand(["validate", "-c", "watches/watches.yaml"], {
      cwd,
      env: FILLED_IN,
    });
    expect(set.out).toContain("sinks terminal (console)");
    const read = (path: string) =>
      parse(readFileSync(path, "utf8"), { merge: true }) as {
        services: { chirpwatch: Record<string, unknown> };
      };
    const { build, profiles, ...expected } = read(
      resolve(import.meta.dirname, "../../../compose.yaml"),
    ).services.chirpwatch;
    expect([build, profiles]).toEqual([".", ["daemon"]]);
    expect(read(join(cwd, "compose.yaml")).services.chirpwatch).toEqual(expected);
    expect(parseDotEnv(readFileSync(join(cwd, ".env.example"), "utf8"))).toMatchObject({
      CHIRPWATCH_IMAGE: "chirpwatch",
    });
  });

  it("docker --channel: lets alerts go to Slack", async () => {
    const cwd = makeFolder();
    await init(["docker", "--channel", "#brand"], cwd);
    expect(readConfig(cwd, "watches/watches.yaml").sinks).toMatchObject({
      brand: { type: "slack", channel: "#brand" },
    });
  });
});

describe("init that cannot write", () => {
  it.each(["watches.yaml", ".env.example", "watches.schema.json"])(
    "refuses where %s is there already, and writes nothing",
    async (name) => {
      const cwd = makeFolder({ [name]: "MINE=1\n" });
      const { code, err } = await init(["slack"], cwd);
      expect(err).toBe(
        `${name} already exists: nothing was written\nwrite to another folder, or move the existing files away first\n`,
      );
      expect(code).toBe(73);
      expect(readdirSync(cwd)).toEqual([name]);
      expect(readFileSync(join(cwd, name), "utf8")).toBe("MINE=1\n");
    },
  );

  it("leaves a second time as it is what it wrote the first time, and refuses what differs", async () => {
    const cwd = makeFolder();
    await init(["slack", "--search", "acme"], cwd);
    expect((await init(["slack", "--search", "acme"], cwd)).code).toBe(0);
    const { code, err } = await init(["discord", "--search", "acme"], cwd);
    expect(err).toMatch(/^watches\.yaml and \.env\.example already exist: nothing was written\n/);
    expect(code).toBe(73);
    expect(readConfig(cwd).sinks).toHaveProperty("brand");
  });

  it("says how to make a folder that does not exist", async () => {
    const cwd = makeFolder();
    const { code, err } = await init(["slack", "-c", "missing/watches.yaml"], cwd);
    expect(err).toBe(
      `cannot write ${join(cwd, "missing/watches.yaml")}: its folder does not exist\nmake the folder first: mkdir -p ${join(cwd, "missing")}\n`,
    );
    expect(code).toBe(73);
  });

  it("says who may not write where", async (context) => {
    if (process.getuid?.() === 0) skipAloud(context, "root may write everywhere");
    const cwd = makeFolder();
    chmodSync(cwd, 0o500);
    const { code, err } = await init(["slack"], cwd);
    chmodSync(cwd, 0o700);
    expect(err).toContain("this user may not write there\n");
    expect(err).toContain("run `chmod u+rwX");
    expect(code).toBe(73);
  });
});

describe("init with an answer that cannot be used", () => {
  it.each([
    [["slack", "--search", '"acme'], /quot/],
    [["slack", "--search", " "], /--search is empty/],
    [["slack", "--channel", "brand"], /"brand" is not a channel: write its name with #/],
    [["discord", "--channel", "#brand"], /--channel is for Slack/],
    [["discord", "--account", "not a handle"], /"not a handle" is not a handle/],
    [["docker", "--send-sample"], /has no --send-sample/],
    [["docker", "-c", "x.yaml"], /has no --config/],
    [[], /name where alerts go, one of slack, discord, webhook: `chirpwatch init slack/],
    [["--search", "acme"], /name where alerts go/],
  ])("%j is a usage error with its cure, and writes nothing", async (line, sentence) => {
    const cwd = makeFolder();
    const { code, err } = await init(line, cwd);
    expect(err).toMatch(sentence);
    expect(code).toBe(2);
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("init --send-sample", () => {
  it("sends one sample with the variables of the environment, and none without the option", async () => {
    const received: string[] = [];
    const hook = await startLoopbackServer((request, response) => {
      received.push(request.url ?? "");
      response.end();
    });
    const cwd = makeFolder();
    const env = { ...FILLED_IN, WEBHOOK_URL: `${hook.url}/hook` };
    await init(["webhook"], cwd, env);
    expect(received).toEqual([]);
    writeFileSync(
      join(cwd, "watches.yaml"),
      readFileSync(join(cwd, "watches.yaml"), "utf8").replace(
        "type: webhook,",
        "type: webhook, allow_private: true,",
      ),
    );
    expect((await runCommand(["test", "--sink", "hook"], { cwd, env })).code).toBe(0);
    expect(received).toEqual(["/hook"]);
    await hook.close();
  });

  it("says what is missing, and that the files are written", async () => {
    const cwd = makeFolder();
    const { code, err } = await init(["slack", "--send-sample"], cwd);
    expect(err).toMatch(/^the files were written, but no sample was sent: /);
    expect(err).toContain("fill in .env, then send it: chirpwatch test --sink brand");
    expect(code).toBe(78);
    expect(existsSync(join(cwd, "watches.yaml"))).toBe(true);
  });
});

describe("the questions of init", () => {
  /** Runs `init` and gives it the answers in turn. */
  async function askWith(answers: readonly string[]) {
    const asked: string[] = [];
    const said: string[] = [];
    const left = [...answers];
    const choice = await askStarter({
      prompt: {
        async ask(question) {
          asked.push(question);
          const next = left.shift();
          if (next === undefined) throw new Error(`no answer to ${question}`);
          return next;
        },
      },
      say: (text) => said.push(text),
      async check({ kind, answers: given }) {
        const outcome = await checkStarter(starterFiles(kind, given, ""));
        return outcome.ok ? undefined : outcome.message;
      },
    });
    return { choice, asked, said };
  }

  it("are four for Slack, of which two have an answer that Enter takes", async () => {
    const { choice, asked, said } = await askWith(["", "acme", "", ""]);
    expect(choice).toEqual({
      kind: "slack",
      answers: { search: "acme", accounts: [], channel: "#brand" },
    });
    expect([asked.length, said]).toEqual([4, []]);
  });

  it("refuse a wrong answer at once, and ask the same again", async () => {
    const { choice, asked, said } = await askWith([
      "fax",
      "discord",
      '"acme',
      "",
      "",
      "not-a-handle",
      "alice, @bob",
    ]);
    expect(choice).toEqual({ kind: "discord", answers: { accounts: ["alice", "bob"] } });
    expect(said).toHaveLength(4);
    expect(said[0]).toContain("Write one of slack, discord, webhook.");
    expect(said[2]).toContain("name at least one account");
    expect(new Set(asked).size).toBe(3);
  });

  it("are asked at a terminal, where init has no arguments", async (context) => {
    const cwd = makeFolder({
      "ask.py": `import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
out, answers = b"", [(b"Where", b"discord\\n"), (b"search for", b"acme\\n"), (b"Whose", b"\\n")]
while True:
    try: part = os.read(fd, 4096)
    except OSError: break
    if not part: break
    out += part
    if answers and answers[0][0] in out: os.write(fd, answers.pop(0)[1])
os.waitpid(pid, 0)
sys.stdout.buffer.write(out)
`,
    });
    if (spawnSync("python3", ["--version"]).status !== 0)
      skipAloud(context, "a terminal is made with python3");
    const { stdout } = spawnSync("python3", ["ask.py", process.execPath, BIN, "init"], {
      cwd,
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(stdout).toContain("Where do alerts go");
    expect(stdout).toContain("were written");
    expect(readConfig(cwd).watches).toMatchObject({ "brand-mentions": { query: "acme" } });
    expect(readConfig(cwd).sinks).toHaveProperty("feed");
  });
});

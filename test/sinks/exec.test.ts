import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SinkError } from "../../src/model/sink.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { execSink } from "../../src/sinks/exec.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "chirpwatch-exec-"))));
afterAll(() => rm(folder, { recursive: true }));

async function send(
  script: string,
  {
    allowed = process.execPath,
    timeout = "20s",
    args = [] as string[],
    signal = new AbortController().signal,
  } = {},
) {
  const settings = execSink.schema.parse({
    command: [process.execPath, "-e", script, ...args],
    timeout,
  });
  const sink = await execSink.create(
    "run",
    settings as never,
    { outputs: createOutputs(allowed) } as unknown as SinkDeps,
  );
  const message = {
    id: "m1",
    sink: "run",
    groupKey: "",
    sealedAtMs: 0,
    body: sink.render(tweetBatch([{ full_text: "$(id) `id`; rm" }])),
  };
  return sink.send(JSON.parse(JSON.stringify(message)), signal);
}

const failure = (...of: Parameters<typeof send>): Promise<SinkError> =>
  send(...of).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );

describe("the exec sink", () => {
  it("gives a program the event on its standard input, fixed arguments and no environment", async () => {
    const place = join(folder, "seen.json");
    const script = `const text = require("fs").readFileSync(0, "utf8"); require("fs").writeFileSync(process.argv[1], JSON.stringify({ text, env: process.env, args: process.argv.slice(2), cwd: process.cwd() }))`;
    expect(await send(script, { args: [place, "brand"] })).toEqual({});
    const seen = JSON.parse(await readFile(place, "utf8"));
    expect(seen).toMatchObject({ env: {}, args: ["brand"], cwd: "/" });
    expect(seen.text.endsWith("\n")).toBe(true);
    expect(JSON.parse(seen.text)).toMatchObject({
      type: "tweet.created",
      data: { tweet: { id: tweetId(0), full_text: "$(id) `id`; rm" } },
    });
  });

  it.each([
    [65, "message", ""],
    [75, "transient", ""],
    [1, "transient", ""],
    [77, "destination", "check its arguments"],
    [127, "destination", "check its arguments"],
  ])("takes the exit code %i for a failure of kind %s", async (code, kind, hint) => {
    const error = await failure(`console.error("a\\u001b[31m reason"); process.exit(${code})`);
    expect(error).toMatchObject({
      kind,
      message: `${process.execPath} ended with exit code ${code}: a[31m reason`,
    });
    expect(error.hint).toContain(hint);
  });

  it("starts nothing that the environment does not allow", async () => {
    const place = join(folder, "never");
    const error = await failure(`require("fs").writeFileSync(${JSON.stringify(place)}, "")`, {
      allowed: "/bin/true:/usr/bin/node-of-others",
    });
    expect(error).toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("CHIRPWATCH_ALLOW_EXEC"),
    });
    await expect(readFile(place)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("says what it could not start", async () => {
    const settings = execSink.schema.parse({ command: ["/no/such/program"] });
    const sink = await execSink.create(
      "run",
      settings as never,
      { outputs: createOutputs("/no/such/program") } as unknown as SinkDeps,
    );
    const message = { id: "m1", sink: "run", groupKey: "", sealedAtMs: 0, body: "{}" };
    await expect(sink.send(message, new AbortController().signal)).rejects.toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("Check that"),
    });
  });

  it("ends the program and whatever it started at the timeout, and when the daemon stops", async () => {
    const place = join(folder, "child.pid");
    const script = `const child = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" }); require("fs").writeFileSync(process.argv[1], String(child.pid)); setInterval(() => {}, 1000)`;
    await writeFile(place, "");
    expect(await failure(script, { timeout: "2s", args: [place] })).toMatchObject({
      kind: "transient",
      message: expect.stringContaining("did not end within 2s"),
    });
    const pid = Number(await readFile(place, "utf8"));
    expect(pid).toBeGreaterThan(0);
    const isRunning = async () =>
      /^State:\s+[^ZX]/m.test(await readFile(`/proc/${pid}/status`, "utf8").catch(() => ""));
    if (process.platform === "linux") expect(await isRunning()).toBe(false);
    const stopping = new AbortController();
    const sent = failure("setInterval(() => {}, 1000)", { signal: stopping.signal });
    stopping.abort();
    expect(await sent).toMatchObject({ kind: "transient" });
  });

  it("reads on when a program prints without end, and drops the rest", async () => {
    const error = await failure(
      'process.stdout.write("x".repeat(2_000_000), () => process.exit(3))',
    );
    expect(error.message.length).toBeLessThan(400);
  });

  it("needs no program to read its input", async () => {
    expect(await send("process.stdin.destroy(); process.exit(0)")).toEqual({});
  });
});

/**
 * Tests programs that the daemon starts: how each end is reported, which output is kept, and that
 * nothing of a program is left.
 */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ProgramResult } from "../../src/model/outputs.ts";
import { createRunProgram } from "../../src/runtime/run-program.ts";

const SHELL = "/bin/sh";

function run(
  script: string,
  { timeoutMs = 20_000, stdin = "", signal = new AbortController().signal } = {},
): Promise<ProgramResult> {
  return createRunProgram(SHELL)({ path: SHELL, args: ["-c", script], stdin, timeoutMs }, signal);
}

/** Returns whether a process runs. Without /proc the answer is always false. */
async function isRunning(pid: string): Promise<boolean> {
  const status = await readFile(`/proc/${pid.trim()}/status`, "utf8").catch(() => "");
  return /^State:\s+[^ZX]/m.test(status);
}

describe("the end of a program", () => {
  it.each([
    ["exit 0", {}, 0],
    ["exit 3", {}, 3],
    ["kill -TERM $$", {}, "SIGTERM"],
    ["sleep 60", { timeoutMs: 50 }, "timeout"],
    // The program ends itself when asked to, but it was asked because its time was over.
    ["trap 'exit 0' TERM; sleep 60", { timeoutMs: 50 }, "timeout"],
  ])("%s %o", async (script, options, end) => {
    expect(await run(script, options)).toMatchObject({ end });
  });

  it("is said to be the daemon's where it is given up before its start or after", async () => {
    expect(await run("sleep 60", { signal: AbortSignal.abort() })).toMatchObject({
      end: "aborted",
    });
    const stopping = new AbortController();
    const ended = run("sleep 60", { signal: stopping.signal });
    stopping.abort();
    expect(await ended).toMatchObject({ end: "aborted" });
  });

  it("comes whatever becomes of its input", async () => {
    // The input is larger than a pipe, so writing it waits for the reader.
    const stdin = "x".repeat(1_000_000);
    expect(await run("exit 0", { stdin })).toMatchObject({ end: 0 });
    expect(await run("head -c 3", { stdin })).toMatchObject({ end: 0, stdout: "xxx" });
    expect(await run("cat | wc -c", { stdin })).toMatchObject({
      end: 0,
      stdout: expect.stringContaining("1000000"),
    });
  });

  it("is the end of all that it has started, and does not wait for it", async () => {
    const startedAt = performance.now();
    const { end, stdout } = await run("sleep 60 & echo $!");
    expect(end).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    await expect.poll(() => isRunning(stdout)).toBe(false);
  });
});

describe("what a program prints", () => {
  it("keeps characters that lie across two chunks", async () => {
    // The program prints the bytes of one character, one after the other.
    const { stdout } = await run(
      "printf '\\303'; sleep 0.05; printf '\\244'; printf '\\360\\237'; sleep 0.05; printf '\\230\\200'",
    );
    expect(stdout).toBe("ä😀");
  });

  it("is its answer and what it complains of: much of one leaves room for the other", async () => {
    const noise = "head -c 200000 /dev/zero | tr '\\0' x";
    const loud = await run(`${noise} >&2; echo answer`);
    expect(loud.stdout).toBe("answer\n");
    const long = await run(`${noise}; echo why >&2`);
    expect(long.output).toContain("why");
    expect(long.stdout.length).toBe(65_536);
  });
});

import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createLogger, type LoggerOptions, type LogStream } from "../../src/runtime/logger.ts";

interface Sink extends LogStream {
  writableLength: number;
  readonly text: () => string;
  readonly fail: (error: Error) => void;
}

function sink(isTTY = false): Sink {
  const lines: string[] = [];
  const listeners: ((error: Error) => void)[] = [];
  return {
    isTTY,
    writableLength: 0,
    write: (text, done) => {
      lines.push(text);
      done?.();
      return true;
    },
    on: (_, listener) => listeners.push(listener),
    text: () => lines.join(""),
    fail: (error) => listeners.forEach((listener) => listener(error)),
  };
}

const logging = (options: LoggerOptions = {}, stream = sink()) => ({
  stream,
  log: createLogger({ stream, ...options }),
});
const parsed = (stream: Sink) =>
  stream
    .text()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("a log line", () => {
  it("is one JSON object with level, time, message and fields, those of its parents, too", () => {
    const { stream, log } = logging();
    log.child({ watch: "brand" }).child({ poll: 1 }).warn("poll failed", { status: 500 });
    expect(parsed(stream)).toEqual([
      {
        level: "warn",
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        watch: "brand",
        poll: 1,
        status: 500,
        msg: "poll failed",
      },
    ]);
  });

  it("below the level is not written", () => {
    const { stream, log } = logging({ level: "warn" });
    log.info("quiet");
    log.debug("quiet");
    expect(stream.text()).toBe("");
  });

  it("keeps message, code and stack of an error", () => {
    const { stream, log } = logging();
    log.error("it broke", { error: Object.assign(new Error("why"), { code: "E_WHY" }) });
    expect(parsed(stream)[0]?.["error"]).toMatchObject({
      message: "why",
      code: "E_WHY",
      stack: expect.stringContaining("why"),
    });
  });

  it("is for people on a terminal", () => {
    const { stream, log } = logging({ color: false }, sink(true));
    log.info("started", { port: 9464 });
    expect(stream.text()).toMatch(/INFO.*started.*9464/);
    expect(stream.text()).not.toContain('"level"');
  });
});

describe("a secret", () => {
  const SECRET = 'p@ss "word"\n/+=';

  it.each(["json", "pretty"] as const)(
    "never appears in %s: not in messages, fields, keys, errors or addresses",
    (format) => {
      const { stream, log } = logging({ secrets: [SECRET, "xoxb-123456"], format, color: false });
      log.info(`key is ${SECRET}`, {
        url: `https://h/?k=${encodeURIComponent(SECRET)}`,
        deep: { list: [SECRET], [SECRET]: 1 },
      });
      log.error("failed", { error: new Error(`bad token xoxb-123456`) });
      log.child({ token: "xoxb-123456" }).warn("again");
      const text = stream.text();
      for (const form of [
        SECRET,
        encodeURIComponent(SECRET),
        JSON.stringify(SECRET).slice(1, -1),
        "xoxb-123456",
      ])
        expect(text).not.toContain(form);
      expect(text).toContain("[redacted]");
      if (format === "json") expect(parsed(stream)).toHaveLength(3);
    },
  );

  it("can be added later, leaves no rest of a longer one, and keeps the line JSON when it is a number", () => {
    const { stream, log } = logging({ secrets: ["12345678"] });
    log.addSecret("12345678-extended");
    log.addSecret("abc"); // too short to protect anything, and it would blacken the log
    log.info("abc 12345678-extended", { pin: 12345678 });
    expect(parsed(stream)[0]).toMatchObject({ msg: "abc [redacted]", pin: "[redacted]" });
  });
});

describe("when nobody reads the log", () => {
  it("lines are dropped, counted, and reported afterwards", () => {
    const { stream, log } = logging();
    stream.writableLength = 2_000_000;
    log.info("lost");
    log.info("lost");
    expect(stream.text()).toBe("");
    expect(log.dropped()).toBe(2);
    stream.writableLength = 0;
    log.info("back");
    log.info("more");
    expect(parsed(stream).map((line) => [line["msg"], line["lines"]])).toEqual([
      ["log lines dropped", 2],
      ["back", undefined],
      ["more", undefined],
    ]);
  });

  it("a reader that went away ends nothing", async () => {
    const { stream, log } = logging();
    stream.fail(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    log.info("still here");
    await log.flush();
    expect(stream.text()).toContain("still here");
  });

  // The daemon writes to a pipe. Its promise never to block rests on this test.
  it("fault 70: a full pipe does not block the process", async () => {
    const script = `
      const line = "x".repeat(10_000) + "\\n";
      for (let i = 0; i < 500; i += 1) if (process.stdout.writableLength < 1_048_576) process.stdout.write(line);
      setImmediate(() => { process.stderr.write("alive " + process.stdout.writableLength); process.exit(0); });`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.pause();
    let reported = "";
    child.stderr.on("data", (chunk: Buffer) => {
      reported += chunk.toString();
    });
    const code = await new Promise((resolve) => child.on("exit", resolve));
    child.stdout.resume();
    expect(code).toBe(0);
    expect(reported).toMatch(/^alive \d{6,7}$/);
  });
});

/** Tests answers whose status line decides even if their body hangs, breaks or never ends. */
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { HttpError, type HttpRequest } from "../../src/model/http.ts";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import {
  type Answer,
  type LoopbackServer,
  startLoopbackServer,
} from "../support/loopback-server.ts";

let server: LoopbackServer;
let agent: HttpAgent;

beforeEach(async () => {
  server = await startLoopbackServer();
  agent = createHttpAgent();
});

afterEach(async () => {
  await agent.close();
  await server.close();
});

const post = (answerBody: NonNullable<HttpRequest["answerBody"]>) =>
  agent.request({
    method: "POST",
    url: `${server.url}/`,
    timeoutMs: 5_000,
    maxBytes: 1_000,
    reach: "any",
    answerBody,
  });

const begins = "begins";
/** Answers whose bodies end badly. `closed` resolves when the socket is free again. */
const BODIES: Readonly<Record<string, (status: number) => Answer>> = {
  "that hangs": (status) => (_, response) =>
    void response.writeHead(status, { "content-length": "600" }).write(begins),
  "that is never begun": (status) => (_, response) =>
    response.writeHead(status, { "content-length": "600" }).flushHeaders(),
  "that breaks off": (status) => (_, response) =>
    void response
      .writeHead(status, { "content-length": "600" })
      .write(begins, () => response.destroy()),
  "that has no end": (status) => (_, response) => {
    response.writeHead(status);
    const more = () =>
      void (response.destroyed || response.write("x".repeat(400), () => setImmediate(more)));
    more();
  },
  "that says it is too long": (status) => (_, response) =>
    void response.writeHead(status, { "content-length": "9999999" }).write(begins),
  "that cannot be unpacked": (status) => (_, response) =>
    response
      .writeHead(status, { "content-encoding": "gzip" })
      .end(gzipSync("x".repeat(5_000)).subarray(0, 20)),
};
const NAMES = Object.keys(BODIES);

/** Answers with the body. Time stands still except for timers of the agent, which `pass` fires. */
function answerWith(
  name: string,
  status: number,
): { pass: (ms: number) => Promise<void>; closed: Promise<void> } {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  let answered = (): void => undefined;
  let freed = (): void => undefined;
  const arrived = new Promise<void>((resolve) => (answered = resolve));
  const closed = new Promise<void>((resolve) => (freed = resolve));
  server.answer((request, response) => {
    response.on("close", freed);
    BODIES[name]?.(status)(request, response);
    answered();
  });
  const pass = async (ms: number) => {
    await arrived;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(ms);
  };
  return { pass, closed };
}

describe("a body that is dropped", () => {
  it.each(NAMES)(
    "%s: a 2xx is an answer at once, and the socket is free within two seconds",
    async (name) => {
      const { pass, closed } = answerWith(name, 200);
      expect(await post("drop")).toMatchObject({ status: 200, body: "" });
      await pass(2_000);
      await closed;
    },
  );

  it.each(NAMES)(
    "%s: another status counts after two seconds at most, with what came of it",
    async (name) => {
      const { pass, closed } = answerWith(name, 410);
      const answer = post("drop");
      await pass(2_000);
      expect((await answer).status).toBe(410);
      if (name === "that hangs") expect((await answer).body).toBe(begins);
      await closed;
    },
  );

  it("that comes whole leaves the connection for the next request", async () => {
    const ports = new Set<number | undefined>();
    server.answer((_, response) => {
      ports.add(response.socket?.remotePort);
      response.end("fine");
    });
    for (let request = 0; request < 3; request += 1) {
      await post("drop");
      for (let turn = 0; turn < 20; turn += 1)
        await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ports.size).toBe(1);
  });
});

describe("a body that may be cut", () => {
  it("is there when it comes whole", async () => {
    server.answer((_, response) => response.end("fine"));
    expect(await post("cut")).toMatchObject({ status: 200, body: "fine" });
  });

  it.each(NAMES)("%s: the status is an answer all the same", async (name) => {
    const { pass, closed } = answerWith(name, 200);
    const answer = post("cut");
    await pass(2_000);
    expect((await answer).status).toBe(200);
    await closed;
  });
});

it.each(["drop", "cut"] as const)(
  "no status line is no answer, whatever the body were worth: %s",
  async (answerBody) => {
    server.answer((_, response) => void response.destroy());
    await expect(post(answerBody)).rejects.toBeInstanceOf(HttpError);
  },
);

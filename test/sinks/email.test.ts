import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SinkError } from "../../src/model/sink.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { emailSink } from "../../src/sinks/email/email.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { type SmtpStandIn, startSmtpStandIn } from "../support/smtp-stand-in.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";

const SENT_MS = Date.UTC(2026, 0, 15, 12);

let server: SmtpStandIn;
beforeAll(async () => void (server = await startSmtpStandIn()));
beforeEach(() => server.refuse({}));
afterAll(() => server.close());

const PLACE = {
  host: "127.0.0.1",
  security: "none",
  from: "Alerts <alerts@example.com>",
  to: ["team@example.com", "boss@example.com"],
};

async function send(
  settings: Record<string, unknown> = {},
  changes: Record<string, unknown> = {},
  signal = new AbortController().signal,
) {
  const parsed = emailSink.schema.parse({ ...PLACE, port: server.port, ...settings });
  const deps = { outputs: createOutputs() } as unknown as SinkDeps;
  const sink = await emailSink.create("mail", parsed as never, deps);
  const body = sink.render(
    tweetBatch([{ full_text: `<script>alert(1)</script> ${"žluťoučký kůň 👩‍👩‍👧 ".repeat(100)}` }]),
  );
  const message = { id: "m1", sink: "mail", groupKey: "", sealedAtMs: SENT_MS, body, ...changes };
  return sink.send(JSON.parse(JSON.stringify(message)), signal);
}

const failure = (settings?: Record<string, unknown>): Promise<SinkError> =>
  send(settings).then(
    () => expect.unreachable(),
    (thrown) => thrown,
  );

describe("the email sink", () => {
  it("sends text and HTML under an id that every attempt has", async () => {
    expect(await send()).toEqual({ ref: "<m1@example.com>" });
    await send();
    const [first, second] = server.mails.slice(-2);
    expect(first).toMatchObject({
      from: "alerts@example.com",
      to: ["team@example.com", "boss@example.com"],
    });
    for (const mail of [first, second]) {
      expect(mail?.source).toMatch(/^From: Alerts <alerts@example\.com>\r$/m);
      expect(mail?.source).toMatch(/^Message-ID: <m1@example\.com>\r$/m);
      expect(mail?.source).toMatch(/^Date: Thu, 15 Jan 2026 12:00:00 \+0000\r$/m);
      expect(mail?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m);
      expect(mail?.source).toContain("Content-Type: text/plain");
      expect(mail?.source).toContain("Content-Type: text/html");
    }
    const decoded = (first?.source ?? "").replace(/=\r\n/g, "").replaceAll("=3D", "=");
    expect(decoded).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(decoded.split("text/html")[1]).not.toContain("<script");
    expect(decoded).toContain(`/status/${tweetId(0)}">Open</a>`);
    expect(
      Math.max(...(first?.source ?? "").split("\r\n").map(({ length }) => length)),
    ).toBeLessThanOrEqual(100);
  });

  it("answers the first mail of a digest", async () => {
    await send({}, { threadRef: "<m0@example.com>" });
    expect(server.mails.at(-1)?.source).toMatch(/^In-Reply-To: <m0@example\.com>\r$/m);
    expect(server.mails.at(-1)?.source).toMatch(/^References: <m0@example\.com>\r$/m);
  });

  it("logs in with its user and password", async () => {
    await send({ user: "alerts", password: "secret" });
    expect(server.logins.at(-1)).toBe("\0alerts\0secret");
  });

  it.each([
    ["AUTH", "535 5.7.8 bad credentials", "destination", "Check `user` and `password`"],
    ["AUTH", "454 4.7.0 try later", "transient", ""],
    ["MAIL", "550 5.7.1 sender refused", "destination", "check `from` and `to`"],
    ["RCPT", "550 5.1.1 no such user", "destination", "check `from` and `to`"],
    ["RCPT", "450 4.2.0 greylisted", "transient", ""],
    [".", "554 5.6.0 content refused", "message", ""],
    [".", "451 4.3.0 try later", "transient", ""],
  ])(
    "takes an answer to %s of %s for a failure of kind %s",
    async (command, answer, kind, hint) => {
      server.refuse({ [command]: answer });
      const error = await failure({ user: "alerts", password: "secret" });
      expect(error).toMatchObject({ kind, status: Number(answer.slice(0, 3)) });
      expect(error.hint).toContain(hint);
      expect(error.message).not.toContain("secret");
    },
  );

  it("counts a mail as sent that some recipients get, and says who does not", async () => {
    server.refuse({ "RCPT TO:<boss": "550 5.1.1 no such user" });
    expect(await send()).toMatchObject({
      missed: [{ receiver: "boss@example.com", error: expect.stringContaining("550 5.1.1") }],
    });
    expect(server.mails.at(-1)?.to).toEqual(["team@example.com"]);
  });

  it("takes a server that is not there, or says nothing, for a passing failure", async () => {
    expect(await failure({ port: 1 })).toMatchObject({
      kind: "transient",
      hint: expect.stringContaining("Check `host`"),
    });
    server.refuse({ MAIL: "" });
    expect(await failure({ timeout: "200ms" })).toMatchObject({ kind: "transient" });
    const stopping = new AbortController();
    const sent = send({}, {}, stopping.signal);
    stopping.abort();
    await expect(sent).rejects.toMatchObject({ kind: "transient" });
  });

  it("sends nothing where encryption is wanted and not offered", async () => {
    const before = server.mails.length;
    expect(
      await failure({ security: "starttls", user: "alerts", password: "secret" }),
    ).toMatchObject({ kind: "transient" });
    expect(server.mails).toHaveLength(before);
  });
});

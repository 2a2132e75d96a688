/**
 * Tests the table of docs/sinks.md: each sink is given each of its answers, and treats it as the
 * table says.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Outputs } from "../../src/model/outputs.ts";
import {
  isTooLarge,
  receiversOf,
  type SealedMessage,
  type SendReceipt,
  SinkError,
} from "../../src/model/sink.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import type { AnswerMeaning, GivenAnswer } from "../../src/sinks/kind/meant-answer.ts";
import type { SinkDeps, SinkType } from "../../src/sinks/kind/sink-type.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { type SmtpStandIn, startSmtpStandIn } from "../support/smtp-stand-in.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };
const http = createHttpAgent();
let server: LoopbackServer;
let mail: SmtpStandIn;
beforeAll(async () => {
  server = await startLoopbackServer();
  mail = await startSmtpStandIn();
});
afterAll(async () => {
  await http.close();
  await server.close();
  await mail.close();
});

const local = { allow_private: true };
const BOSS = "boss@example.com";
const TEAM = "team@example.com";

function settingsOf(type: string, isWebhook: boolean): object {
  const { url } = server;
  const own: Readonly<Record<string, object>> = {
    webhook: { url, ...local },
    teams: { webhook_url: url, ...local },
    chat_webhook: { webhook_url: url, ...local },
    apprise: { url, ...local },
    slack: isWebhook
      ? { webhook_url: url }
      : { token: "xoxb-1", channel: "#brand", api_url: `${url}/api/` },
    discord: isWebhook
      ? { webhook_url: `${url}/api/webhooks/1/x` }
      : { token: "t", channel_id: "5", api_url: `${url}/api` },
    telegram: { token: "1:abc", chat_id: "-1001", api_url: url },
    email: {
      host: "127.0.0.1",
      port: mail.port,
      security: "none",
      from: "a@example.com",
      to: [TEAM, BOSS],
    },
    exec: { command: ["/usr/local/bin/on-alert"] },
    file: { path: "/data/events.ndjson" },
  };
  return own[type] ?? {};
}

/** Creates outputs that give this answer. */
function outputsFor(given: GivenAnswer): Outputs {
  const real = createOutputs();
  return {
    mail: real.mail,
    run: async () => ({ end: given.kind === "exit" ? given.code : 0, output: "", stdout: "" }),
    append: async () => {
      if (given.kind === "disk") throw Object.assign(new Error("the disk"), { code: given.code });
    },
  };
}

async function attempt(
  type: SinkType<any>,
  given: GivenAnswer,
  more: Partial<SealedMessage> = {},
): Promise<SendReceipt | SinkError> {
  if (given.kind === "http")
    server.answer((_request, response) => {
      // A client that takes long to load could otherwise find a connection that the server has
      // closed meanwhile.
      const headers = {
        connection: "close",
        "content-type": "application/json",
        location: "https://elsewhere.example/",
      };
      response.writeHead(given.status, headers).end(given.status === 204 ? undefined : given.body);
    });
  const isLogin = given.kind === "smtp" && "AUTH" in given.commands;
  mail.refuse(given.kind === "smtp" ? given.commands : {});
  const extra = {
    ...(given.kind === "http" ? given.settings : {}),
    ...(isLogin ? { user: "me", password: "secret" } : {}),
  };
  const settings = type.schema.parse({
    ...settingsOf(type.type, given.kind === "http" && given.isWebhook === true),
    ...extra,
  });
  const deps = {
    http,
    clock: createVirtualClock(0),
    log,
    write: () => {},
    outputs: outputsFor(given),
    linksHost: "",
  } as SinkDeps;
  const sink = await type.create("news", settings, deps);
  const message = {
    id: "m1",
    sink: "news",
    groupKey: "",
    sealedAtMs: 0,
    alerts: 2,
    body: sink.render(tweetBatch([{}])),
    ...more,
  };
  return sink
    .send(JSON.parse(JSON.stringify(message)), new AbortController().signal)
    .catch((error: unknown) =>
      error instanceof SinkError ? error : Promise.reject(error as Error),
    );
}

function meaningOf(outcome: SendReceipt | SinkError): AnswerMeaning {
  if (!(outcome instanceof SinkError)) return outcome.missed === undefined ? "sent" : "part";
  if (receiversOf(outcome).length > 0) return "part";
  if (outcome.kind === "message") return isTooLarge(outcome) ? "too_large" : "refused";
  if (outcome.kind === "destination") return outcome.fields["gone"] === true ? "gone" : "closed";
  return outcome.kind === "rate_limited" ? "wait" : "passing";
}

describe.each(SINK_TYPES.map((type) => [type.type, type] as const))("a %s sink", (_, type) => {
  it.each(type.answers.map((one) => [one.answer, one.means, one.example] as const))(
    "takes %s for: %s",
    async (__, means, example) => {
      expect(meaningOf(await attempt(type, example))).toBe(means);
    },
  );

  it("says what each kind of answer means that there is", () => {
    const own = new Set(type.answers.map(({ means }) => means));
    const kinds: Readonly<Record<string, readonly AnswerMeaning[]>> = {
      http: ["sent", "too_large", "refused", "closed", "wait", "passing"],
      smtp: ["sent", "part", "too_large", "refused", "closed", "passing"],
      exit: ["sent", "refused", "closed", "passing"],
      disk: ["sent", "closed", "passing"],
      nothing: ["sent"],
    };
    const given = type.answers.map(({ example }) => example.kind);
    for (const kind of new Set(given))
      for (const means of kinds[kind] ?? []) expect(own, `${kind} ${means}`).toContain(means);
  });
});

describe("a mail to several", () => {
  const email = SINK_TYPES.find(({ type }) => type === "email") as SinkType<any>;
  const refuse = (...to: readonly (readonly [address: string, answer: string])[]): GivenAnswer => ({
    kind: "smtp",
    commands: Object.fromEntries(to.map(([address, answer]) => [`RCPT TO:<${address}`, answer])),
  });

  it("is not repeated for those who have it, and names those who will never have it", async () => {
    const first = await attempt(email, refuse([BOSS, "450 4.2.0 greylisted"]));
    expect(first).toMatchObject({ kind: "transient" });
    const taken = receiversOf(first as SinkError);
    expect(taken).toEqual([TEAM]);
    expect(await attempt(email, refuse(), { taken })).toEqual({ ref: "<m1@example.com>" });
    expect(mail.mails.slice(-2).map(({ to }) => to)).toEqual([[TEAM], [BOSS]]);
    expect(mail.mails.at(-1)?.source).toContain(`To: ${TEAM}, ${BOSS}`);
    // The only remaining address is refused for good. That is a failure of the address, not of the
    // sink.
    expect(await attempt(email, refuse([BOSS, "550 5.1.1 no such user"]), { taken })).toMatchObject(
      {
        missed: [{ receiver: BOSS, error: expect.stringContaining("550") }],
        taken: [TEAM],
      },
    );
    const sent = mail.mails.length;
    expect(await attempt(email, refuse(), { taken: [TEAM, BOSS] })).toEqual({});
    expect(mail.mails).toHaveLength(sent);
  });
});

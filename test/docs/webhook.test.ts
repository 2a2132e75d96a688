import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHttpAgent, type HttpAgent } from "../../src/runtime/http-agent.ts";
import { createOutputs } from "../../src/runtime/outputs.ts";
import { webhookSink } from "../../src/sinks/webhook/webhook.ts";
import { type LoopbackServer, startLoopbackServer } from "../support/loopback-server.ts";
import { EVENT_TIME_MS, makeEvent } from "../support/make-event.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { PAGES } from "./pages.ts";

type IsGenuine = (
  headers: Readonly<Record<string, unknown>>,
  body: string,
  secret: string,
  nowSeconds: number,
) => boolean;

let http: HttpAgent;
let server: LoopbackServer;
let isGenuine: IsGenuine;

beforeAll(async () => {
  http = createHttpAgent();
  server = await startLoopbackServer();
  const block = PAGES.find(({ path }) => path === "docs/webhook.md")?.blocks.find(
    ({ marker }) => marker === "verify",
  );
  const module = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(block?.text ?? "")}`
  )) as {
    readonly isGenuine: IsGenuine;
  };
  isGenuine = module.isGenuine;
});
afterAll(async () => {
  await http.close();
  await server.close();
});

/** Sends an event through the webhook sink and returns what the receiver got. */
async function receive(secret: string) {
  const clock = createVirtualClock(EVENT_TIME_MS);
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const settings = webhookSink.schema.parse({ url: server.url, secret, allow_private: true });
  const deps = {
    http,
    clock,
    log,
    write: () => {},
    outputs: createOutputs(),
    linksHost: "https://x.com",
  };
  const sink = await webhookSink.create(
    "hook",
    settings as Parameters<typeof webhookSink.create>[1],
    deps,
  );
  const events = [{ event: makeEvent("1"), watches: ["w"] }];
  const read = () => expect.unreachable("a webhook reads nothing aloud");
  const body = sink.render({ events, sample: false, read });
  await sink.send(
    { id: "m1", sink: "hook", groupKey: "g", sealedAtMs: EVENT_TIME_MS, body },
    new AbortController().signal,
  );
  const received = server.received.at(-1);
  if (received === undefined) return expect.unreachable("nothing arrived");
  return received;
}

const NOW = EVENT_TIME_MS / 1_000;

describe("the code of docs/webhook.md", () => {
  it.each([
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "any other text",
    "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr",
  ])("takes what was signed with %s", async (secret) => {
    const { headers, body } = await receive(secret);
    expect(isGenuine(headers, body, secret, NOW)).toBe(true);
  });

  it("refuses another secret, another body, another id, an old request and none at all", async () => {
    const { headers, body } = await receive("a secret");
    expect(isGenuine(headers, body, "another secret", NOW)).toBe(false);
    expect(isGenuine(headers, `${body} `, "a secret", NOW)).toBe(false);
    expect(isGenuine({ ...headers, "webhook-id": "m2" }, body, "a secret", NOW)).toBe(false);
    expect(isGenuine(headers, body, "a secret", NOW + 301)).toBe(false);
    expect(isGenuine({}, body, "a secret", NOW)).toBe(false);
  });

  it("shows a body with the fields of a real one", async () => {
    const { body } = await receive("a secret");
    const shown =
      PAGES.find(({ path }) => path === "docs/webhook.md")?.blocks.find(
        ({ language }) => language === "json",
      )?.text ?? "{}";
    const [written, real] = [shown, body].map(
      (text) => JSON.parse(text) as { readonly data: object },
    );
    expect(Object.keys(real ?? {})).toEqual(Object.keys(written ?? {}));
    expect(Object.keys(real?.data ?? {})).toEqual(Object.keys(written?.data ?? {}));
  });

  it("has a row for every type of event that a watch gives, and for no other", () => {
    const page = PAGES.find(({ path }) => path === "docs/webhook.md")?.text ?? "";
    const rows = page.slice(page.indexOf("| Event |"), page.indexOf("| the daemon's own |"));
    const named = [...rows.matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell]) =>
      [...(cell ?? "").matchAll(/`([^`]+)`/g)].map(([, type]) => type),
    );
    const given = new Set([
      ...WATCH_TYPES.flatMap(({ events }) => events),
      "volume.spike",
      "volume.silent",
      "tweet.edited",
    ]);
    expect(new Set(named)).toEqual(given);
    expect(named).toHaveLength(given.size);
  });
});

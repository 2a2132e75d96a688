/**
 * Tests one guard for every HTTP address of a sink, given by name, by number, or by a name that
 * leads to a private address.
 */
import { afterAll, describe, expect, it } from "vitest";
import { SinkError } from "../../src/model/sink.ts";
import type { ResolveHost } from "../../src/runtime/http-reach.ts";
import { createHttpAgent } from "../../src/runtime/http-agent.ts";
import type { SinkDeps, SinkType } from "../../src/sinks/kind/sink-type.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";
import { tweetBatch } from "./chat-batch.ts";
import { errorOf } from "./receiver.ts";

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => log };

/** Resolves every name to this machine, to a port where nobody listens. */
const resolve: ResolveHost = (_host, _options, done) =>
  done(null, [{ address: "127.0.0.1", family: 4 }]);
const http = createHttpAgent({ resolve });
afterAll(() => http.close());

/** For each sink type, the keys that hold an address, with the other keys they need. */
const ADDRESSES: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  webhook: { url: { secret: "a secret" } },
  teams: { webhook_url: {} },
  chat_webhook: { webhook_url: {} },
  apprise: { url: {} },
  slack: { webhook_url: {}, api_url: { token: "xoxb-1", channel: "#brand" } },
  discord: { webhook_url: {}, api_url: { token: "t", channel_id: "5" } },
  telegram: { api_url: { token: "1:abc", chat_id: "-1001" } },
};

const found = (type: string): SinkType<unknown> =>
  SINK_TYPES.find((one) => one.type === type) as SinkType<unknown>;

it("names every key of every sink that holds an address, but those of pictures and what a mail server is called", () => {
  const keys = SINK_TYPES.flatMap(({ type, schema }) =>
    Object.keys(schema.shape).flatMap((key) =>
      /^(?!icon|avatar).*url$/.test(key) ? [`${type}.${key}`] : [],
    ),
  );
  const known = Object.entries(ADDRESSES).flatMap(([type, own]) =>
    Object.keys(own).map((key) => `${type}.${key}`),
  );
  expect([...keys].sort()).toEqual([...known].sort());
});

const CASES = Object.entries(ADDRESSES).flatMap(([type, own]) =>
  Object.entries(own).map(([key, more]) => [type, key, more] as const),
);

describe.each(CASES)("%s, %s", (type, key, more) => {
  const attempt = async (address: string, isAllowed: boolean): Promise<SinkError> => {
    const { schema, create } = found(type);
    const settings = schema.parse({
      ...more,
      [key]: address,
      ...(isAllowed ? { allow_private: true } : {}),
    });
    const sink = await create("news", settings, {
      http,
      clock: createVirtualClock(0),
      log,
    } as unknown as SinkDeps);
    const body = JSON.parse(JSON.stringify(sink.render(tweetBatch([{}])))) as never;
    return errorOf(
      sink.send(
        { id: "m1", sink: "news", groupKey: "", sealedAtMs: 0, body },
        new AbortController().signal,
      ),
    );
  };

  it.each([
    ["a name that leads to this machine", "https://internal.example:9/api"],
    ["a private address", "https://10.0.0.7:9/api"],
    ["a metadata service", "https://169.254.169.254:9/api"],
    ["an address inside another one", "https://[::127.0.0.1]:9/api"],
  ])("does not reach %s, and says what would allow it", async (_, address) => {
    const error = await attempt(address, false);
    expect(error).toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("`allow_private: true`"),
    });
    expect(error.message).toContain(`${new URL(address).hostname.replace(/^\[|\]$/g, "")}`);
  });

  it("asks there with allow_private", async () => {
    const error = await attempt("https://internal.example:9/api", true);
    expect(error.kind).toBe("transient");
  });

  it("warns of an address that it does not reach", () => {
    const { schema, doubts } = found(type);
    const rules = (address: string, allowed = {}) =>
      (doubts?.("news", schema.parse({ ...more, [key]: address, ...allowed })) ?? []).map(
        ({ rule }) => rule,
      );
    expect(rules("https://[::127.0.0.1]/api")).toContain("private-webhook");
    expect(rules("https://10.0.0.7/api")).toContain("private-webhook");
    expect(rules("https://10.0.0.7/api", { allow_private: true })).not.toContain("private-webhook");
    expect(rules("https://1.1.1.1/api")).not.toContain("private-webhook");
  });
});

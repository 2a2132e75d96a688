import { describe, expect, it } from "vitest";
import { discordSink } from "../../src/sinks/discord/discord.ts";
import { secretTexts, sinkPlace } from "../../src/sinks/kind/sink-secrets.ts";
import { slackSink } from "../../src/sinks/slack/slack.ts";
import { webhookSink } from "../../src/sinks/webhook/webhook.ts";

const HOOK = "https://hooks.example.com/catch/1234567/abc12d/";

describe("where a sink posts", () => {
  it("is a channel, or the host and six characters that distinguish its address from others", () => {
    expect(sinkPlace(slackSink, { token: "xoxb-1", channel: "#brand" })).toBe("#brand");
    expect(sinkPlace(discordSink, { token: "t", channel_id: "7" })).toBe("Discord channel 7");
    expect(sinkPlace(webhookSink, { url: HOOK })).toMatch(/^hooks\.example\.com, [0-9a-f]{6}$/);
    expect(sinkPlace(slackSink, { webhook_url: HOOK })).toBe(sinkPlace(webhookSink, { url: HOOK }));
    expect(sinkPlace(webhookSink, { url: `${HOOK}x` })).not.toBe(
      sinkPlace(webhookSink, { url: HOOK }),
    );
  });

  it("is nothing where the settings were left out", () => {
    expect(sinkPlace(webhookSink, undefined)).toBe("");
    expect(secretTexts(webhookSink, undefined)).toEqual([]);
  });
});

describe("what gives a sink's secrets away", () => {
  it("is each of several secrets, in a list or on the lines of a file", () => {
    expect(secretTexts(webhookSink, { url: "http://h/", secret: ["new-one", "old-one"] })).toEqual(
      expect.arrayContaining(["new-one", "old-one"]),
    );
    expect(secretTexts(webhookSink, { url: "http://h/", secret: "new-one\nold-one" })).toEqual(
      expect.arrayContaining(["new-one", "old-one"]),
    );
  });

  it("is an address, its path with and without query and closing slash, and the tokens in it", () => {
    const texts = secretTexts(webhookSink, {
      url: "https://example.com/in/9a8b7c6d5e4f3a2b1c/?key=0123456789abcdef%2B",
      secret: "shh-shh",
    });
    expect(texts).toEqual(
      expect.arrayContaining([
        "https://example.com/in/9a8b7c6d5e4f3a2b1c/?key=0123456789abcdef%2B",
        "/in/9a8b7c6d5e4f3a2b1c/?key=0123456789abcdef%2B",
        "/in/9a8b7c6d5e4f3a2b1c/",
        "/in/9a8b7c6d5e4f3a2b1c",
        "9a8b7c6d5e4f3a2b1c",
        "0123456789abcdef+",
        "shh-shh",
      ]),
    );
  });

  it("is no word that stands in every log", () => {
    const texts = secretTexts(webhookSink, {
      url: "https://example.com/webhook",
      headers: { accept: "application/json" },
    });
    expect(texts).toEqual(["https://example.com/webhook"]);
  });

  it("is a header that proves who calls, also without its scheme", () => {
    const headers = { Authorization: "Bearer 0123456789abcdef" };
    expect(secretTexts(webhookSink, { url: "https://example.com/webhook", headers })).toEqual(
      expect.arrayContaining(["Bearer 0123456789abcdef", "0123456789abcdef"]),
    );
  });
});

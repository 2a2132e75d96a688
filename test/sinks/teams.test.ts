import { describe, expect, it } from "vitest";
import { teamsText } from "../support/teams-stand-in.ts";
import { tweetBatch } from "./chat-batch.ts";
import { errorOf, useReceiver } from "./receiver.ts";

const receiver = useReceiver();

const photo = {
  type: "photo",
  link: "https://pics.example/l",
  preview: "https://pics.example/p.jpg",
};
const alerts = tweetBatch([
  {
    full_text: "**bold** [a](b)\n\n<at>all</at> {{DATE(2026-01-01T00:00:00Z)}}",
    entities: [photo],
  },
]);
const send = (settings: object = {}) =>
  receiver.send(
    "teams",
    { webhook_url: `${receiver.url}/workflows/1?sig=secret`, allow_private: true, ...settings },
    alerts,
  );

describe("the Teams sink", () => {
  it("posts an Adaptive Card in which a stranger's markup stays text", async () => {
    receiver.answer((_, response) => response.writeHead(202).end());
    expect(await send()).toEqual({});
    const request = receiver.received.at(-1);
    expect(request).toMatchObject({ method: "POST", url: "/workflows/1?sig=secret" });
    expect(request?.headers["content-type"]).toBe("application/json; charset=utf-8");
    const message = JSON.parse(request?.body ?? "");
    expect(message.attachments[0]).toMatchObject({
      contentType: "application/vnd.microsoft.card.adaptive",
      content: { type: "AdaptiveCard" },
    });
    expect(request?.body).not.toContain('TextBlock","text');
    expect(teamsText(message)).toContain(
      "\n**bold** [a](b)\n<\u200bat>all<\u200b/at> {\u200b{DATE(2026-01-01T00:00:00Z)}}\n",
    );
    expect(message.attachments[0].content.body).toContainEqual(
      expect.objectContaining({ type: "Image", url: "https://pics.example/p.jpg" }),
    );
  });

  it.each([
    [400, "message", "template for webhook alerts"],
    [401, "destination", "trigger again"],
    [404, "destination", "turn it on"],
    [413, "message", ""],
    [429, "rate_limited", ""],
    [502, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    receiver.answer((_, response) => response.writeHead(status, { "retry-after": "7" }).end("no"));
    const error = await errorOf(send());
    expect(error).toMatchObject({
      kind,
      status,
      ...(kind === "rate_limited" ? { retry: { afterMs: 7_000 } } : {}),
    });
    expect(error.hint).toContain(hint);
  });

  it("reaches no private address unless it may", async () => {
    const before = receiver.received.length;
    await expect(send({ allow_private: false })).rejects.toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("allow_private"),
    });
    expect(receiver.received).toHaveLength(before);
  });
});

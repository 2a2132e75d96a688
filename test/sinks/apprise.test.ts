import { describe, expect, it } from "vitest";
import { tweetBatch } from "./chat-batch.ts";
import { errorOf, useReceiver } from "./receiver.ts";

const receiver = useReceiver();

const send = (settings: object) =>
  receiver.send(
    "apprise",
    { url: `${receiver.url}/`, allow_private: true, ...settings },
    tweetBatch([{ full_text: "@everyone come" }]),
  );

describe("the Apprise sink", () => {
  it("notifies what the server has under a key", async () => {
    receiver.answer((_, response) => response.writeHead(200).end());
    await send({ key: "brand", tag: "urgent" });
    const request = receiver.received.at(-1);
    expect(request?.url).toBe("/notify/brand");
    const { title, body, ...rest } = JSON.parse(request?.body ?? "");
    expect(rest).toEqual({ type: "info", tag: "urgent", format: "text" });
    expect(title).toMatch(/posted/);
    // The body does not repeat the title.
    expect(body).toMatch(/^@\u200beveryone come\n\nOpen https:/);
  });

  it("notifies the URLs of the sink", async () => {
    await send({ urls: "json://a.example" });
    expect(receiver.received.at(-1)?.url).toBe("/notify/");
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({
      urls: "json://a.example",
    });
  });

  it.each([
    [204, "destination", "Add Apprise URLs"],
    [400, "message", "log of the Apprise server"],
    [404, "destination", "Check `url` and `key`"],
    [500, "transient", ""],
  ])("takes %i for a failure of kind %s", async (status, kind, hint) => {
    receiver.answer((_, response) => response.writeHead(status).end());
    const error = await errorOf(send({ key: "brand" }));
    expect(error).toMatchObject({ kind, status });
    expect(error.hint).toContain(hint);
  });

  it("reaches no private address unless it may", async () => {
    await expect(send({ allow_private: false })).rejects.toMatchObject({
      kind: "destination",
      hint: expect.stringContaining("allow_private"),
    });
  });
});

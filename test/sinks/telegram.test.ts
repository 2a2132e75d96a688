import { describe, expect, it } from "vitest";
import { json } from "../support/loopback-server.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";
import { errorOf, useReceiver } from "./receiver.ts";

const receiver = useReceiver();

const photo = {
  type: "photo",
  link: "https://pics.example/l",
  preview: "https://pics.example/p.jpg",
};
const alerts = tweetBatch([
  { full_text: "hello @bob, /start https://e.com/@x", entities: [photo] },
]);
const send = (settings: object = {}, threadRef?: string) =>
  receiver.send(
    "telegram",
    { token: "123:secret", chat_id: "-1001", api_url: receiver.url, ...settings },
    alerts,
    threadRef === undefined ? {} : { threadRef },
  );

describe("the Telegram sink", () => {
  it("posts text with entities, its picture, and nothing that mentions or commands", async () => {
    receiver.answer(json({ ok: true, result: { message_id: 77 } }));
    expect(await send({ topic: 5, silent: true })).toEqual({ ref: "77" });
    const request = receiver.received.at(-1);
    expect(request?.url).toBe("/bot123:secret/sendMessage");
    const { text, entities, ...rest } = JSON.parse(request?.body ?? "");
    expect(rest).toEqual({
      chat_id: "-1001",
      message_thread_id: 5,
      link_preview_options: { url: "https://pics.example/p.jpg", prefer_large_media: true },
      disable_notification: true,
    });
    expect(text).toContain("\nhello @\u200bbob, /\u200bstart https://e.com/%40x\n");
    const [link] = entities.filter(({ url }: { url?: string }) => url?.includes(tweetId(0)));
    expect(text.slice(link.offset, link.offset + link.length)).toBe("Open");
  });

  it("answers the first message of a digest, where that is still there", async () => {
    receiver.answer(json({ ok: true, result: { message_id: 78 } }));
    await send({}, "77");
    expect(JSON.parse(receiver.received.at(-1)?.body ?? "")).toMatchObject({
      reply_parameters: { message_id: 77, allow_sending_without_reply: true },
    });
  });

  it.each([
    [400, { description: "Bad Request: chat not found" }, "destination", "Check `chat_id`"],
    [
      400,
      { description: "Bad Request: message thread not found" },
      "destination",
      "change `topic`",
    ],
    [
      400,
      { description: "Bad Request: not enough rights to send text messages to the chat" },
      "destination",
      "Allow the bot to post",
    ],
    [
      400,
      {
        description: "Bad Request: group chat was upgraded",
        parameters: { migrate_to_chat_id: -1009 },
      },
      "destination",
      'set `chat_id` to "-1009"',
    ],
    [400, { description: "Bad Request: message is too long" }, "message", ""],
    [401, { description: "Unauthorized" }, "destination", "@BotFather"],
    [
      403,
      { description: "Forbidden: bot was kicked from the supergroup chat" },
      "destination",
      "add it again",
    ],
    [404, { description: "Not Found" }, "destination", "@BotFather"],
    [413, {}, "message", ""],
    [500, {}, "transient", ""],
    [200, { description: "odd" }, "transient", ""],
  ])("takes %i with %j for a failure of kind %s", async (status, body, kind, hint) => {
    receiver.answer(json({ ok: false, error_code: status, ...body }, status));
    const error = await errorOf(send());
    expect(error).toMatchObject({ kind, status });
    expect(error.hint).toContain(hint);
    expect(`${error.message} ${error.hint}`).not.toContain("123:secret");
  });

  it("waits as long as it is asked to", async () => {
    receiver.answer(
      json(
        {
          ok: false,
          error_code: 429,
          description: "Too Many Requests",
          parameters: { retry_after: 17 },
        },
        429,
      ),
    );
    await expect(send()).rejects.toMatchObject({
      kind: "rate_limited",
      retry: { afterMs: 17_000 },
    });
    receiver.answer((_, response) => response.writeHead(429).end("no"));
    await expect(send()).rejects.toMatchObject({ kind: "rate_limited", retry: "later" });
  });

  it("counts a 2xx as sent whatever its body is, and a missing answer as passing", async () => {
    receiver.answer((_, response) => response.writeHead(200).end("<html>"));
    expect(await send()).toEqual({});
    await expect(send({ api_url: "http://127.0.0.1:1" })).rejects.toMatchObject({
      kind: "transient",
    });
  });
});

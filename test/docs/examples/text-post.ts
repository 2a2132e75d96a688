/**
 * The text_post sink: one line of plain text per event, posted to an address that wants nothing
 * more.
 */
import { z } from "zod";
import { readRetryAfter } from "../../../src/model/asked-wait.ts";
import { errorText } from "../../../src/model/errors.ts";
import { SinkError, type SinkFailure } from "../../../src/model/sink.ts";
import { cleanLine } from "../../../src/render/text/clean-text.ts";
import { byStatus } from "../../../src/sinks/kind/meant-answer.ts";
import type { SinkType } from "../../../src/sinks/kind/sink-type.ts";

const settingsSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).describe("Where lines are posted."),
});

export const textPostSink: SinkType<z.infer<typeof settingsSchema>> = {
  type: "text_post",
  summary: "Posts plain lines of text.",
  schema: settingsSchema,
  secrets: ["url"],
  example: 'type: text_post\nurl: "${TEXT_POST_URL}"\n',
  chat: true,
  concurrency: 1,
  answers: [
    ...byStatus("sent", 200),
    ...byStatus("closed", 404),
    ...byStatus("wait", 429),
    ...byStatus("passing", 500),
  ],
  destinations: ({ url }) => [{ kind: "url", url }],
  create: async (_name, { url }, { http, clock }) => ({
    render: ({ events, read }) =>
      events.map((event) => cleanLine(`${read(event).title} ${read(event).url ?? ""}`)).join("\n"),
    async send(message, signal) {
      const headers = { "content-type": "text/plain; charset=utf-8", "x-message-id": message.id };
      const request = {
        method: "POST",
        url,
        headers,
        body: message.body as string,
        timeoutMs: 15_000,
        maxBytes: 65_536,
        reach: "any",
        signal,
      } as const;
      const answer = await http.request(request).catch((cause: unknown) => {
        throw new SinkError("transient", errorText(cause), undefined, { cause });
      });
      if (answer.status >= 200 && answer.status < 300) return {};
      const afterMs = readRetryAfter(answer.headers["retry-after"], clock.now());
      throw new SinkError(
        failureOf(answer.status),
        `answered ${answer.status}`,
        answer.status,
        afterMs === undefined ? {} : { retry: { afterMs } },
      );
    },
  }),
};

function failureOf(status: number): SinkFailure {
  if (status === 429) return "rate_limited";
  if ([401, 403, 404, 410].includes(status)) return "destination";
  return status >= 400 && status < 500 ? "message" : "transient";
}

import { describe, expect, it } from "vitest";
import type { AppendRequest } from "../../src/model/outputs.ts";
import type { SinkError } from "../../src/model/sink.ts";
import { fileSink } from "../../src/sinks/file.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { loadText } from "../config/load-text.ts";
import { makeEvent } from "../support/make-event.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";

async function fileWith(append: (request: AppendRequest) => Promise<void>) {
  const settings = fileSink.schema.parse({
    path: "/var/lib/chirpwatch/a.ndjson",
    max_size: "2KB",
    keep: 3,
  });
  return fileSink.create("log", settings as never, { outputs: { append } } as unknown as SinkDeps);
}

const send = async (
  sink: Awaited<ReturnType<typeof fileWith>>,
  batch = tweetBatch([{}, { full_text: "two\nlines" }]),
) => {
  const body = JSON.parse(JSON.stringify(sink.render(batch)));
  return sink.send(
    { id: "m1", sink: "log", groupKey: "", sealedAtMs: 0, body },
    new AbortController().signal,
  );
};

describe("the file sink", () => {
  it("appends a line for every event, each as a webhook would get it alone", async () => {
    const requests: AppendRequest[] = [];
    await send(await fileWith(async (request) => void requests.push(request)));
    expect(requests).toMatchObject([
      { path: "/var/lib/chirpwatch/a.ndjson", maxBytes: 2_048, keep: 3 },
    ]);
    const lines = requests[0]?.text.split("\n") ?? [];
    expect(lines.pop()).toBe("");
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      {
        type: "tweet.created",
        timestamp: expect.any(String),
        data: { id: makeEvent(tweetId(0)).id, tweet: { id: tweetId(0) } },
      },
      { data: { tweet: { id: tweetId(1), full_text: "two\nlines" } } },
    ]);
  });

  it("marks a sample", async () => {
    const requests: AppendRequest[] = [];
    await send(
      await fileWith(async (request) => void requests.push(request)),
      tweetBatch([{}], { sample: true }),
    );
    expect(JSON.parse(requests[0]?.text ?? "")).toMatchObject({ sample: true });
  });

  it.each([
    ["ENOSPC", "transient", "The disk is full"],
    ["EIO", "transient", "The disk reports an error"],
    ["EMFILE", "transient", ""],
    ["EACCES", "destination", "Set `path` to a file"],
    ["EROFS", "destination", "Set `path` to a file"],
    ["ENOTFILE", "destination", "Set `path` to a file"],
  ])("takes %s for a failure of kind %s", async (code, kind, hint) => {
    const sink = await fileWith(() =>
      Promise.reject(Object.assign(new Error(`${code}: no`), { code })),
    );
    const error: SinkError = await send(sink).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error).toMatchObject({
      kind,
      message: `/var/lib/chirpwatch/a.ndjson could not be written: ${code}: no`,
    });
    expect(error.hint).toContain(hint);
  });

  it("lies beside the state: a relative path is made absolute when the file is read", async () => {
    const text =
      "watches: { a: { type: search, query: acme } }\nsinks: { log: { type: file, path: alerts/a.ndjson } }\nops: { sink: log }\n";
    const pathOf = async (env: Record<string, string>) => {
      const loaded = await loadText(text, { env });
      return loaded.ok && loaded.config.sinks[0]?.settings;
    };
    expect(await pathOf({})).toMatchObject({ path: "/etc/chirpwatch/alerts/a.ndjson" });
    expect(await pathOf({ CHIRPWATCH_DATA_DIR: "/data" })).toMatchObject({
      path: "/data/alerts/a.ndjson",
    });
  });
});

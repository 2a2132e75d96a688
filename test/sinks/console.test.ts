import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import type { NeutralMessage } from "../../src/model/message.ts";
import type { Batch, Digest, Sink } from "../../src/model/sink.ts";
import { consoleSink } from "../../src/sinks/console.ts";
import type { SinkDeps } from "../../src/sinks/kind/sink-type.ts";
import { tweetBatch, tweetId } from "./chat-batch.ts";
import { countTypes } from "../../src/render/text/kind-words.ts";
import { EVENT_TIME_MS, makeEvent } from "../support/make-event.ts";

const message = (changes: Partial<NeutralMessage> = {}): NeutralMessage => ({
  title: "Alice (@alice) posted",
  body: "hello\nworld",
  url: "https://x.com/alice/status/1",
  media: [],
  facts: [{ name: "likes", value: "3" }],
  occurredAtMs: EVENT_TIME_MS,
  watches: ["brand", "other"],
  severity: "info",
  ...changes,
});

async function written(read: NeutralMessage, changes: Partial<Batch> = {}): Promise<string> {
  const lines: string[] = [];
  const refuse = new Proxy({}, { get: () => expect.unreachable("the console sink calls nothing") });
  const deps = {
    http: refuse,
    clock: refuse,
    log: refuse,
    write: (text: string) => void lines.push(text),
    linksHost: "",
  } as SinkDeps;
  const sink: Sink = await consoleSink.create("terminal", {}, deps);
  const events = changes.events ?? [{ event: makeEvent("1"), watches: ["brand"] }];
  const batch: Batch = { sample: false, ...changes, events, read: () => read };
  // The body goes through JSON and back, as in the outbox.
  const body = JSON.parse(JSON.stringify(sink.render(batch)));
  await sink.send(
    { id: "m1", sink: "terminal", groupKey: "", sealedAtMs: 0, body },
    new AbortController().signal,
  );
  return lines.join("");
}

describe("the console sink", () => {
  it("writes who, when, which watches, what and where", async () => {
    expect(stripVTControlCharacters(await written(message()))).toBe(
      "• 2026-01-15 12:00:00 [brand, other] Alice (@alice) posted\n    hello\n    world\n    likes 3\n    https://x.com/alice/status/1\n",
    );
  });

  it("shows what goes below a message of its thread indented, under an id of its own", async () => {
    const lines: string[] = [];
    const deps = { write: (text: string) => void lines.push(text) } as unknown as SinkDeps;
    const sink = await consoleSink.create("terminal", { thread_by: "conversation" }, deps);
    expect(sink.threads).toEqual({ by: "conversation", windowMs: 86_400_000, place: "console" });
    const batch = {
      sample: false,
      events: [{ event: makeEvent("1"), watches: ["brand"] }],
      read: () => message({ facts: [], url: "" }),
    };
    const sealed = {
      id: "m1",
      sink: "terminal",
      groupKey: "",
      sealedAtMs: 0,
      body: JSON.parse(JSON.stringify(sink.render(batch))),
    };
    expect(await sink.send({ ...sealed, threadRef: "m0" }, new AbortController().signal)).toEqual({
      ref: "m1",
    });
    expect(stripVTControlCharacters(lines.join(""))).toBe(
      "  ↳ • 2026-01-15 12:00:00 [brand, other] Alice (@alice) posted\n        hello\n        world\n",
    );
  });

  it("fault 54: nothing in a tweet moves the cursor, recolours the terminal or turns the text around", async () => {
    const text = "a\u001b[2Jb\u0007c\u009bd\u202ee\u2066f\rg\u0000\ud83d";
    const out = await written(
      message({ title: text, body: text, url: `https://x.com/${text}`, watches: [text] }),
    );
    expect(stripVTControlCharacters(out)).not.toMatch(
      /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/,
    );
    expect(stripVTControlCharacters(out)).toContain("a[2Jbcdef");
    expect(out).not.toMatch(/\p{Surrogate}/u);
  });

  it.each(['{"level":"error"}', "  [1]", '"msg"'])(
    "writes no line that a reader of the log could take for one of it: %s",
    async (line) => {
      const out = stripVTControlCharacters(await written(message({ body: `hello\n${line}` })));
      expect(out).toContain(`    › ${line.trimStart()}\n`);
    },
  );

  it("fails if nobody reads the output, and tries again", async () => {
    const write = async () => Promise.reject(new Error("nobody reads standard output"));
    const sink = await consoleSink.create("terminal", {}, { write } as unknown as SinkDeps);
    const body = JSON.parse(
      JSON.stringify(sink.render({ sample: false, events: [], read: () => message() })),
    );
    const sent = sink.send(
      { id: "m1", sink: "terminal", groupKey: "", sealedAtMs: 0, body },
      new AbortController().signal,
    );
    await expect(sent).rejects.toMatchObject({
      kind: "transient",
      message: "nobody reads standard output",
    });
  });

  it("quotes what an event is about, and leaves out what has no words", async () => {
    const about = { label: "Bob (@bob)", url: "https://x.com/bob" };
    expect(await written(message({ context: { ...about, body: "hi" } }))).toContain(
      "    Bob (@bob): hi\n",
    );
    expect(await written(message({ context: { ...about, body: "" } }))).not.toContain("Bob");
  });

  it("marks samples and alarms", async () => {
    const two = [1, 2].map((n) => ({ event: makeEvent(String(n)), watches: ["brand"] }));
    const out = stripVTControlCharacters(
      await written(message({ severity: "critical" }), { events: two, sample: true }),
    );
    expect(out.split("\n")[0]).toBe("SAMPLE");
    expect(out.match(/^ {2}! /gm)).toHaveLength(2);
  });

  it("says above several alerts what they are", async () => {
    const events = [1, 2].map((n) => ({ event: makeEvent(String(n)), watches: ["brand"] }));
    const heading = async (changes: Partial<Batch>) =>
      stripVTControlCharacters(await written(message(), { events, ...changes })).split("\n");
    expect((await heading({})).slice(0, 3)).toEqual([
      "2 posts",
      "  • 2026-01-15 12:00:00 [brand, other] Alice (@alice) posted",
      "      hello",
    ]);
  });

  it("lays a digest of thousands out in parts, each of which says what it lists", async () => {
    const { events, read } = tweetBatch(Array.from({ length: 5_000 }, () => ({})));
    const sink = await consoleSink.create("terminal", {}, { write: () => {} } as never);
    const reads: string[] = [];
    const digest: Digest = {
      cause: "schedule",
      title: "Mentions",
      counts: countTypes(events),
      sections: [{ title: "", isKind: false, count: events.length, items: events }],
      unlisted: undefined,
      read: (event) => {
        reads.push(event.event.id);
        return read(event);
      },
    };
    const headings: string[] = [];
    let listed = 0;
    for (const { events: own, body } of sink.lists?.render(digest) ?? []) {
      listed += own.length;
      expect(own.length).toBeLessThanOrEqual(50);
      expect(reads.length).toBeLessThanOrEqual(listed + 1);
      headings.push((body as { readonly heading: string }).heading);
    }
    expect(listed).toBe(5_000);
    expect(headings.slice(0, 2)).toEqual([
      "Mentions · 5,000 posts",
      "Mentions · 51 to 100 of 5,000",
    ]);
  });

  it("shows a digest as a list with headings, and in a log as a line for each alert", async () => {
    const { events, read } = tweetBatch([{ full_text: "first" }, { full_text: "second" }, {}]);
    const digest: Digest = {
      cause: "schedule",
      title: "Mentions",
      period: { fromMs: Date.UTC(2026, 10, 26, 9), toMs: Date.UTC(2026, 10, 27, 9) },
      counts: countTypes(events),
      sections: [{ title: "brand", isKind: false, count: 3, items: events.slice(0, 2) }],
      unlisted: { count: 1, where: "chirpwatch events" },
      valueText: () => "♥ 1.2K",
      read,
    };
    const lines: string[] = [];
    for (const writesToLog of [false, true]) {
      const sink = await consoleSink.create("terminal", {}, {
        write: (text: string) => void lines.push(text),
        writesToLog,
      } as never);
      const [part] = sink.lists?.render(digest) ?? [];
      const sealed = {
        id: "m",
        sink: "terminal",
        groupKey: "g",
        sealedAtMs: 0,
        body: part?.body ?? null,
      };
      await sink.send(sealed, new AbortController().signal);
    }
    const [shown = "", logged = ""] = lines.map(stripVTControlCharacters);
    expect(shown.split("\n")).toEqual([
      "Mentions · 26 Nov 09:00 to 27 Nov 09:00 UTC · 3 posts",
      "  brand (3, 2 shown)",
      `  • ♥ 1.2K  ALICE (@alice) first https://x.com/alice/status/${tweetId(0)}`,
      `  • ♥ 1.2K  ALICE (@alice) second https://x.com/alice/status/${tweetId(1)}`,
      "  Another one is not listed here: chirpwatch events",
      "",
    ]);
    expect(
      logged
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).title),
    ).toEqual(["♥ 1.2K  ALICE (@alice) first", "♥ 1.2K  ALICE (@alice) second"]);
  });

  it("takes no settings", () => {
    expect(consoleSink.schema.safeParse({ colour: true }).success).toBe(false);
    expect(consoleSink.describe?.({})).toBe("console");
    expect(consoleSink.destinations({})).toEqual([{ kind: "console" }]);
  });
});

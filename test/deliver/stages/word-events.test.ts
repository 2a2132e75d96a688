/** Which template words an event, and what becomes of a message whose template fails. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createWordEvents, type TemplateFailure } from "../../../src/deliver/stages/word-events.ts";
import type { TemplateJob, TemplateResult } from "../../../src/model/template.ts";
import { tweetMessage } from "../../../src/render/messages/tweet-message.ts";
import { makeEvent } from "../../support/make-event.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

const TEMPLATES = [
  { name: "short", events: ["tweet.*"], title: "x" },
  {
    ...{
      name: "long",
      events: ["tweet.created"],
      title: "x",
      body: "{{ message.title }}{{ tweet.id }}",
    },
    reads: [
      ["message", "title"],
      ["tweet", "id"],
    ],
  },
  {
    name: "few",
    events: ["tweet.created"],
    title: "{{ labels.watch }}",
    reads: [["labels", "watch"]],
  },
];

function setUp(
  answer: (job: TemplateJob) => TemplateResult = ({ template }) => ({
    wording: { title: [template] },
  }),
) {
  const clock = createVirtualClock(0);
  const failures: TemplateFailure[] = [];
  const jobs: TemplateJob[] = [];
  const runner = {
    run: async (asked: readonly TemplateJob[]) => {
      jobs.push(...asked);
      return asked.map(answer);
    },
    stop: async () => undefined,
  };
  const templates = {
    byName: new Map(TEMPLATES.map((template) => [template.name, template])),
    runner,
    onFailing: (failure: TemplateFailure) => void failures.push(failure),
  };
  const word = createWordEvents({
    clock,
    read: (event) => tweetMessage(event, { linksHost: "https://x.com" }),
    templates,
  });
  return { clock, failures, jobs, word };
}

const created = { event: makeEvent("1"), watches: ["brand"] };

describe("an event is worded", () => {
  it("by its route's template, else by its sink's, else by none", async () => {
    const { word } = setUp();
    const titles = async (sink: object, event: object) =>
      (await word({ name: "chat", ...sink }, [{ ...created, ...event }])).map(
        ({ wording }) => wording?.title?.[0],
      );
    expect(await titles({ template: "short" }, { template: "long" })).toEqual(["long"]);
    expect(await titles({ template: "short" }, {})).toEqual(["short"]);
    expect(await titles({}, {})).toEqual([undefined]);
    expect(await titles({ template: "short" }, { template: "one that a reload removed" })).toEqual([
      "short",
    ]);
  });

  it("by none where the template is for other events, or the event is the daemon's own", async () => {
    const { word, jobs } = setUp();
    const other = { event: makeEvent("2", { type: "follower.added" }), watches: [] };
    const own = {
      event: makeEvent("3", { type: "tweet.created", watchType: "daemon" }),
      watches: [],
    };
    const threshold = { event: makeEvent("4", { type: "tweet.threshold" }), watches: [] };
    const worded = await word({ name: "chat", template: "short" }, [
      other,
      created,
      own,
      threshold,
    ]);
    expect(worded.map(({ event, wording }) => [event.subject, wording?.title?.[0]])).toEqual([
      ["2", undefined],
      ["1", "short"],
      ["3", undefined],
      ["4", "short"],
    ]);
    expect(jobs).toHaveLength(2);
  });

  it("with the event's own fields, its labels, and the default message at hand", async () => {
    const { word, jobs } = setUp();
    await word({ name: "chat", template: "short", region: { locale: "de-DE" }, hasMoments: true }, [
      created,
    ]);
    expect(jobs[0]).toMatchObject({ region: { locale: "de-DE" }, hasMoments: true });
    expect(JSON.parse(jobs[0]?.data ?? "")).toMatchObject({
      tweet: { id: "1" },
      labels: { watch: "brand" },
      event: { type: "tweet.created", watches: ["brand"] },
    });
    await word({ name: "chat", template: "long" }, [created]);
    await word({ name: "chat", template: "few" }, [created]);
    const titles = jobs.map(
      ({ data }) =>
        (JSON.parse(data) as { readonly message?: { readonly title: string } }).message?.title,
    );
    expect(titles, "which is found only for a template that may show it").toEqual([
      "ALICE (@alice) posted",
      "ALICE (@alice) posted",
      undefined,
    ]);
  });
});

describe("a template that fails", () => {
  it("leaves the default message, and says so", async () => {
    const { word, failures } = setUp(() => ({ problem: "no such thing", isRunaway: false }));
    expect(await word({ name: "chat", template: "short" }, [created])).toEqual([
      { ...created, worded: { template: "short", error: "no such thing" } },
    ]);
    expect(failures).toEqual([{ template: "short", sink: "chat", problem: "no such thing" }]);
  });

  it("is tried with the next event, but not for a while where it did not end by itself", async () => {
    const { word, jobs, clock } = setUp(() => ({ problem: "too long", isRunaway: true }));
    await word({ name: "chat", template: "short" }, [created]);
    await word({ name: "chat", template: "short" }, [created]);
    expect(jobs).toHaveLength(1);
    await word({ name: "other", template: "short" }, [created]);
    expect(jobs).toHaveLength(2);
    await clock.advance(5 * 60_000);
    await word({ name: "chat", template: "short" }, [created]);
    expect(jobs).toHaveLength(3);
  });
});

/** Two templates at two sinks, one of which runs too long at one of them from some moment on. */
it("words each event by its own template, whatever is suspended beside it and wherever", async () => {
  const events = fc.array(fc.constantFrom("short", "long", undefined), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(
      events,
      events,
      fc.constantFrom("chat", "other"),
      async (before, after, second) => {
        const { word } = setUp(({ template, data }) => {
          const { id } = (JSON.parse(data) as { readonly tweet?: { readonly id: string } })
            .tweet ?? { id: "" };
          return template === "short"
            ? { problem: "too long", isRunaway: true }
            : { wording: { title: [`${template} ${id}`] } };
        });
        const templated = (names: typeof before, from: number) =>
          names.map((template, index) => ({
            event: makeEvent(`${from + index}`),
            watches: [],
            ...(template === undefined ? {} : { template }),
          }));
        const isTried = before.includes("short");
        await word({ name: "chat" }, templated(before, 100));
        const worded = await word({ name: second }, templated(after, 200));
        expect(worded.map(({ wording }) => wording?.title?.[0])).toEqual(
          after.map((template, index) => (template === "long" ? `long ${200 + index}` : undefined)),
        );
        const error =
          isTried && second === "chat"
            ? expect.stringContaining("ran too long before")
            : "too long";
        expect(worded.map((one) => one.worded?.error)).toEqual(
          after.map((template) => (template === "short" ? error : undefined)),
        );
      },
    ),
  );
});

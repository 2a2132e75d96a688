/** Tests what a series of answers about one record means to a watch that reports its end. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ReadingRule } from "../../../src/detect/reading.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import { evaluateReading } from "../../../src/polling/evaluate/evaluate-reading.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { tweet } from "../../../src/watches/tweet.ts";
import { makeWatch } from "../../support/make-watch.ts";

const HOUR = 3_600_000;
const rule: ReadingRule = { name: "record", fields: ["count"], gone: { event: "record.gone" } };
const watch = makeWatch("w", "tweet", { tweets: ["7"] });
const subscriber = { watch, type: tweet, watchKey: "w", targetKey: "7", targetName: "7" };
const fresh: TargetState = {
  ...{
    watchKey: "w",
    key: "7",
    name: "7",
    userId: null,
    username: null,
    registeredAtMs: 0,
    baselineAtMs: null,
  },
  ...{ memory: {}, revision: 0, status: "pending", statusReason: "" },
} as TargetState;

const answers = fc.array(
  fc.record({
    kind: fc.constantFrom("there", "absent", "none of several"),
    hours: fc.integer({ min: 1, max: 20 }),
  }),
  { maxLength: 20 },
);

it("reports the end at the second absence in a row, once, and believes an answer without any of several after a day of them", () => {
  fc.assert(
    fc.property(answers, (row) => {
      let target = fresh;
      let nowMs = 0;
      let model = { absences: 0, isGone: false, blindAtMs: undefined as number | undefined };
      for (const { kind, hours } of [{ kind: "there", hours: 1 }, ...row]) {
        nowMs += hours * HOUR;
        const isSuspicious = kind === "none of several";
        const context = {
          hash: sha256,
          detectedAtMs: nowMs,
          episode: String(nowMs),
          rule,
          isSuspicious,
          profile: undefined,
        };
        const record = kind === "there" ? { count: nowMs } : undefined;
        const { events, targets } = evaluateReading(subscriber, target, record, context as never);
        const isDoubted = isSuspicious && nowMs - (model.blindAtMs ?? nowMs) < 24 * HOUR;
        let isEnd = false;
        if (kind === "there") model = { absences: 0, isGone: false, blindAtMs: undefined };
        else if (isDoubted) model = { ...model, blindAtMs: model.blindAtMs ?? nowMs };
        else if (!model.isGone) {
          isEnd = model.absences === 1;
          model = { ...model, absences: model.absences + 1, isGone: isEnd };
        }
        expect(events.map(({ event }) => event.type)).toEqual(isEnd ? ["record.gone"] : []);
        const [change] = targets;
        target = {
          ...target,
          ...(change?.memory && { memory: change.memory }),
          ...(change?.status && { status: change.status }),
        };
      }
    }),
    { numRuns: 200 },
  );
});

/** Tests what the status says about member lists that take long to read. */
import { expect, it } from "vitest";
import { memberListViews } from "../../../src/operate/views/member-list-view.ts";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import type { TargetState } from "../../../src/model/watch-store.ts";
import { assumeTargets } from "../../../src/forecast/forecast.ts";
import { statusView, watchView } from "../../server/daemon-stand-in.ts";
import { makeWatch } from "../../support/make-watch.ts";

const NOW = Date.UTC(2026, 2, 2);

function targetOf(name: string, memory: JsonObject): TargetState {
  const [target] = assumeTargets("w", [{ key: `@${name}`, name, userId: "7" }], []);
  if (target === undefined) throw new Error("no target");
  return { ...target, baselineAtMs: NOW, memory };
}

const newcomers = (settings: JsonObject = {}) =>
  makeWatch("w", "new_followers", { accounts: ["acme"], source: "all", ...settings });
const PARTIAL = { run: 20, since_ms: NOW };
const statusOf = (lists: ReturnType<typeof memberListViews>) =>
  formatStatus(statusView({ watches: [watchView({ member_lists: lists })] }), NOW);

it("says how far the first read of a list is", () => {
  const views = memberListViews(newcomers(), [
    targetOf("acme", { partial: PARTIAL, size: 3_000_000, read_members: 2_000 }),
  ]);
  expect(views).toEqual([
    {
      target: "acme",
      members: 3_000_000,
      first_read_members: 2_000,
      tells_newcomers: true,
      whole_read_every_seconds: null,
    },
  ]);
  expect(statusOf(views)).toContain("first read 2,000 of 3,000,000");
  expect(statusOf(views)).toMatch(
    /brand-mentions +acme +3,000,000 +not every day: set full_read_every: 1d to change that/,
  );
});

it("says of a watch that reports who left that nothing is reported until it is complete", () => {
  const watch = makeWatch("w", "followers", { accounts: ["acme", "rival"] });
  const targets = [
    targetOf("acme", { read_members: 400 }),
    targetOf("rival", { read_members: 2_000, size: 50_000 }),
  ];
  const text = statusOf(memberListViews(watch, targets));
  expect(text).toContain(
    "first read of rival 2,000 of 50,000 members, no alerts until it is complete, and 1 other list",
  );
  expect(text).not.toContain("not every day");
});

it("says nothing of lists that are read as is usual, or as the watch says", () => {
  expect(
    memberListViews(newcomers(), [targetOf("acme", { baseline_of: "followers", pages: 40 })]),
  ).toEqual([]);
  expect(
    memberListViews(newcomers({ full_read_every: "7d" }), [targetOf("acme", { pages: 4_000 })]),
  ).toEqual([]);
  const never = newcomers({ full_read_every: "never" });
  expect(
    memberListViews(never, [
      targetOf("acme", { partial: PARTIAL, size: 3_000_000, read_members: 2_000 }),
    ]),
  ).toEqual([]);
  expect(memberListViews(makeWatch("w", "search", { query: "acme" }), [])).toEqual([]);
  expect(memberListViews(newcomers(), [targetOf("acme", { pages: 4_000 })])).toMatchObject([
    { members: 800_000, first_read_members: null },
  ]);
});

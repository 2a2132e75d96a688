/**
 * Tests `budget`: its plot and its text, and the command beside a daemon, after it, and without
 * one.
 */
import { describe, expect, it } from "vitest";
import { plotSpending } from "../../../src/cli/planning/budget-plot.ts";
import { formatBudget } from "../../../src/cli/planning/budget-text.ts";
import { formatStatus } from "../../../src/cli/inspect/status-text.ts";
import type { BudgetView, QuotaView } from "../../../src/server/schema/budget-view.ts";
import { cleanUpAfterwards } from "../../e2e/fixture.ts";
import { statusView } from "../../server/daemon-stand-in.ts";
import { makeFolder } from "../../support/bin-process.ts";
import { farResetDay, startDaemonHere, writeConfig } from "../../support/daemon-process.ts";
import { runCommand } from "../../support/run-command.ts";
import { until } from "../../support/until.ts";

cleanUpAfterwards();

const HOUR = 3_600_000;
const START = Date.UTC(2026, 5, 1);
const NOW = START + 15 * 24 * HOUR;

const quota = (changes: Partial<QuotaView> = {}): QuotaView => ({
  limit: 10_000,
  line: 9_000,
  spent: 4_000,
  forecast: 8_000,
  expected: 8_000,
  on_exhausted: "degrade",
  stretch: { high: 1, normal: 1, low: 1 },
  drift: 0,
  keys: [{ name: "main", spent: 4_000, limit: 10_000, aside: "" }],
  period_start: new Date(START).toISOString(),
  period_end: "2026-07-01T00:00:00.000Z",
  ...changes,
});

/** A budget of 4,000 requests, spent evenly hour by hour. */
const view = (changes: Partial<BudgetView> = {}): BudgetView => ({
  quota: quota(),
  price: null,
  watches: [
    { name: "brand", spent: 3_000, expected: 6_000 },
    { name: "(housekeeping)", spent: 1_000, expected: null },
  ],
  endpoints: [{ name: "search-tweets", spent: 4_000 }],
  hours: Array.from({ length: 360 }, (_, i) => ({
    at: new Date(START + i * HOUR).toISOString(),
    spent: 4_000 / 360,
  })),
  ...changes,
});

const place = { nowMs: NOW, columns: 60 };

describe("the plot", () => {
  it("rises with what was spent, goes on to what is expected, and shows the line", () => {
    const lines = plotSpending(view(), place).split("\n");
    expect(lines[0]).toMatch(/^10,000 \|$/);
    expect(lines[1]).toMatch(/^ 9,000 \|-{50,}$/);
    expect(lines[2]).toMatch(/\.$/);
    expect(lines[9]).toMatch(/^ +\|#+/);
    const spent = lines.map((line) => line.lastIndexOf("#"));
    expect(Math.max(...spent)).toBeGreaterThan(30);
    expect(Math.max(...spent)).toBeLessThan(37);
    expect(lines.join("\n")).toContain("06-01");
    expect(lines.at(-1)).toContain("# spent  . expected  - where scheduled polls stop");
  });

  it("fits the terminal, whatever its width, in plain characters", () => {
    for (const columns of [30, 60, 80, 200]) {
      const text = plotSpending(view(), { nowMs: NOW, columns });
      for (const line of text.split("\n").slice(0, -1)) expect(line.length).toBeLessThan(columns);
      expect(text).toMatch(/^[\x20-\x7e\n]+$/);
    }
    expect(plotSpending(view(), { nowMs: NOW, columns: 25 })).toBe("");
  });

  it("needs neither limit nor forecast", () => {
    const text = plotSpending(
      view({ quota: quota({ limit: null, line: null, expected: null }) }),
      place,
    );
    expect(text).toMatch(/^4,000 \|/);
    expect(text).not.toContain("expected");
  });
});

describe("the text", () => {
  it("says what was spent, what is expected, and by whom", () => {
    const text = formatBudget(view({ price: { per_request: 0.01, currency: "$" } }), place);
    expect(text).toContain(
      "Spent: 4,000 requests ($40.00) of 10,000; scheduled polls stop at 9,000",
    );
    expect(text).toContain("Expected by the end: 8,000 ($80.00)");
    expect(text).toMatch(/^brand +3,000 +75% +6,000 +\$60\.00$/m);
    expect(text).toMatch(/^\(housekeeping\) +1,000 +25% +- +\$10\.00$/m);
    expect(text).toMatch(/^search-tweets +4,000 +100%$/m);
    expect(text).not.toContain("KEY");
  });

  it("says when the schedules ask for more, when the service counts otherwise, and which key is suspended", () => {
    const keys = [
      { name: "main", spent: 3_000, limit: 5_000, aside: "" },
      { name: "spare", spent: 1_000, limit: null, aside: "the service refuses it" },
    ];
    const text = formatBudget(
      view({ quota: quota({ forecast: 20_000, expected: 9_000, drift: 12, keys }) }),
      place,
    );
    expect(text).toContain(
      "Expected by the end: 9,000; the schedules would take 20,000, low priority is slowed down first",
    );
    const pausing = formatBudget(
      view({ quota: quota({ forecast: 20_000, expected: 9_000, on_exhausted: "pause" }) }),
      place,
    );
    expect(pausing).toContain("; the schedules would take 20,000, polling stops at the soft limit");
    expect(text).toContain("The data service counted 12 requests more than chirpwatch sent.");
    expect(text).toMatch(/^spare +1,000 +- +suspended: the service refuses it$/m);
  });

  it("and status say what will be spent, and apart from it what the schedules ask for", () => {
    const text = (changes: Partial<QuotaView>) =>
      formatStatus(statusView({ quota: quota(changes) }), NOW);
    expect(text({ forecast: 20_000, expected: 9_000 })).toContain(
      "Requests this period: 4,000 of 10,000, 9,000 expected until 2026-07-01; the schedules would take 20,000\n",
    );
    expect(text({})).toContain(
      "Requests this period: 4,000 of 10,000, 8,000 expected until 2026-07-01\n",
    );
  });

  it("gathers what is too much to list", () => {
    const watches = Array.from({ length: 30 }, (_, i) => ({
      name: `w${i}`,
      spent: 1,
      expected: 2,
    }));
    expect(formatBudget(view({ watches }), place)).toMatch(/^10 more +10 +0\.3% +20$/m);
  });
});

describe("the command", () => {
  it("asks the running daemon, and the state when none runs: the same figures", async () => {
    const folder = makeFolder();
    const resetDay = farResetDay();
    writeConfig(folder, {
      version: 1,
      api: { quota: { monthly: 50_000, reset_day: resetDay, price: { per_request: 0.005 } } },
      state: { path: "state.db" },
      server: { listen: "127.0.0.1:0" },
      watches: {
        news: { type: "search", query: "acme", schedule: "@every 10m" },
        slow: { type: "search", query: "cat", schedule: "@every 1h", priority: "low" },
      },
      sinks: { terminal: { type: "console" } },
      ops: { sink: "terminal" },
    });
    const none = await runCommand(["budget"], { cwd: folder });
    expect(none).toMatchObject({ code: 74, err: expect.stringContaining("state.db") as string });
    const daemon = await startDaemonHere({ folder });
    const read = async () =>
      JSON.parse((await runCommand(["budget", "--json"], { cwd: folder })).out) as BudgetView;
    const beside = await until("both polls", async () => {
      const budget = await read();
      return budget.quota.spent >= 2 ? budget : undefined;
    });
    expect(beside.quota).toMatchObject({
      limit: 50_000,
      line: 45_000,
      stretch: { high: 1, normal: 1, low: 1 },
      drift: 0,
    });
    expect(beside.watches.map(({ name }) => name)).toEqual(["news", "slow"]);
    expect(beside.endpoints).toEqual([{ name: "search-tweets", spent: beside.quota.spent }]);
    expect(beside.hours.reduce((sum, { spent }) => sum + spent, 0)).toBe(beside.quota.spent);
    const { out, code } = await runCommand(["budget"], {
      cwd: folder,
      env: { COLUMNS: "70", NO_COLOR: "1" },
    });
    expect(out).toMatch(
      new RegExp(`^Period: \\d{4}-\\d\\d-${String(resetDay).padStart(2, "0")} to `),
    );
    expect(out).toContain("Expected by the end: ");
    expect(out).not.toContain("\u001b");
    for (const line of out.split("\n")) expect(line.length).toBeLessThan(71);
    expect(code).toBe(0);
    daemon.kill("SIGTERM");
    await daemon.gone;
    const after = await read();
    expect(after.quota).toMatchObject({ limit: 50_000, spent: beside.quota.spent, stretch: null });
    expect(Math.abs((after.quota.expected ?? 0) - (beside.quota.expected ?? 0))).toBeLessThan(5);
    expect(after.hours).toEqual(beside.hours);
    expect((await runCommand(["budget"], { cwd: folder })).out).toContain(
      "if the daemon runs from now on",
    );
  });
});

/**
 * Keeps docs/ short enough to be read. Text that exceeds the limit belongs into a message, an
 * example, a decision or the code. A new feature raises the limit by the words of its own pages,
 * with a row below. The decisions in docs/adr are not counted.
 */
import { expect, it } from "vitest";
import { PAGES } from "./pages.ts";

const MAX_WORDS = {
  "the pages before the features below": 60_000,
  "docs/messages.md": 229,
  "docs/reports.md": 297,
  "docs/releasing.md": 430,
  "docs/api.md": 1_440,
  "docs/mcp.md and its command": 340,
  "docs/escalate.md": 437,
  "keys and rules of `escalate`": 120,
  "docs/discord-buttons.md": 190,
  "docs/slack-buttons.md, its alerts and errors": 350,
  "the settings of chat": 260,
  "docs/backtest.md": 472,
  "options, settings and errors of the archive and of backtests": 270,
  "docs/page.md": 830,
  "docs/act-on-alerts.md": 867,
  "routes, commands and errors of what people do about alerts": 500,
  "`actions_link`, buttons below escalations, and chats in `validate --online`": 240,
  "keys, options and rules of digests, reports, dates, forums and mentions": 851,
  "init for each sink, the image for two architectures, a manifest for SQLite": 312,
} as const;

const wordsOf = (text: string): number => text.split(/\s+/).filter(Boolean).length;

it("docs/ has no more words than its limit", () => {
  const max = Object.values(MAX_WORDS).reduce((sum, words) => sum + words, 0);
  const pages = PAGES.filter(({ path }) => /^docs\/(?!adr\/)/.test(path));
  const words = pages.reduce((sum, { text }) => sum + wordsOf(text), 0);
  expect(pages.length).toBeGreaterThan(20);
  expect(words).toBeLessThanOrEqual(max);
});

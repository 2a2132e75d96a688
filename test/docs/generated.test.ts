import { describe, expect, it } from "vitest";
import { apiPage } from "./page-api.ts";
import { commandsPage } from "./page-commands.ts";
import { extendingPage } from "./page-extending.ts";
import { metricsPage } from "./page-metrics.ts";
import { clientPage } from "./page-operations.ts";
import { settingsPage } from "./page-settings.ts";
import { sinksPage } from "./page-sinks.ts";
import { watchesPage } from "./page-watches.ts";
import { ROOT } from "./program.ts";

// `npm run docs` writes the pages. It runs this test with -u.
describe("reference pages are committed as the code writes them now", () => {
  it("docs/watches.md", async () => {
    await expect(watchesPage()).toMatchFileSnapshot("../../docs/watches.md");
  });
  it("docs/sinks.md", async () => {
    await expect(sinksPage()).toMatchFileSnapshot("../../docs/sinks.md");
  });
  it("docs/settings.md", async () => {
    await expect(settingsPage()).toMatchFileSnapshot("../../docs/settings.md");
  });
  it("every key says what it means", () => {
    const pages = [watchesPage(), sinksPage(), settingsPage()].join("\n");
    expect(pages).toContain("| `schedule.cron` |");
    expect(pages.match(/^\| .*\| {2}\|$/gmu) ?? []).toEqual([]);
  });
  it("docs/metrics.md", async () => {
    await expect(metricsPage(ROOT)).toMatchFileSnapshot("../../docs/metrics.md");
  });
  it("docs/commands.md", async () => {
    await expect(await commandsPage()).toMatchFileSnapshot("../../docs/commands.md");
  });
  it("docs/api.md, from the document of the API", async () => {
    await expect(await apiPage()).toMatchFileSnapshot("../../docs/api.md");
  });
  it("docs/client.md, with the table of operations", async () => {
    expect(clientPage(ROOT)).toContain("| `info-batch` |");
    await expect(clientPage(ROOT)).toMatchFileSnapshot("../../docs/client.md");
  });
  it("docs/extending.md, with the examples that are run", async () => {
    expect(extendingPage(ROOT)).toContain("export const listTweets");
    await expect(extendingPage(ROOT)).toMatchFileSnapshot("../../docs/extending.md");
  });
});

import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ConfigIssue } from "../../src/config/config.ts";
import { formatIssue } from "../../src/config/report.ts";
import { RULES } from "../../src/config/rules.ts";
import { findings } from "./findings.ts";

/**
 * Each rule has a `<name>.yaml`, or a folder of them, that breaks it, and the exact messages in
 * `<name>.txt`.
 */
const folder = import.meta.dirname;
const names = readdirSync(folder, { withFileTypes: true })
  .filter((one) => one.isDirectory() || one.name.endsWith(".yaml"))
  .map((one) => one.name);
const scratch = mkdtempSync(join(tmpdir(), "bad-configs-"));
afterAll(() => rmSync(scratch, { recursive: true }));

const found = new Map<string, ReturnType<typeof findings>>();
/** Loaded once for all tests. */
function findingsOf(name: string): ReturnType<typeof findings> {
  const known = found.get(name) ?? findings(join(folder, name));
  found.set(name, known);
  return known;
}

const written = (issues: readonly ConfigIssue[]) =>
  `${issues.map(formatIssue).join("\n").replaceAll(`${folder}/`, "")}\n`;

describe("every bad configuration is refused, or warned of, in exactly these words", () => {
  it.each(names)("%s", async (name) => {
    const expected = readFileSync(join(folder, `${name.replace(/\.yaml$/, "")}.txt`), "utf8");
    expect(written(await findingsOf(name))).toBe(expected);
  });

  it("breaks the rule it is named after", async () => {
    const wrong: string[] = [];
    for (const name of names) {
      const rules = (await findingsOf(name)).map((issue) => issue.rule);
      if (!rules.some((rule) => name.startsWith(rule))) wrong.push(`${name}: ${rules.join(" ")}`);
    }
    expect(wrong).toEqual([]);
  });

  it("leaves no rule without a file", () => {
    // These messages are not in the folder. A file of 2 MB is made below, because it does not
    // belong in a repository. The guard applies to `run` only, not to a load: guard.test.ts. The
    // state is read by `validate` only: renamed-watches.test.ts. The vendors are asked by `validate
    // --online` only: check-chats.test.ts.
    const elsewhere = ["file-too-big", "sandbox-guard", "renamed-watch", "chat-online"];
    const covered = (rule: string) =>
      names.some((name) => name === rule || name === `${rule}.yaml` || name.startsWith(`${rule}-`));
    expect(
      Object.keys(RULES).filter((rule) => !elsewhere.includes(rule) && !covered(rule)),
    ).toEqual([]);
  });
});

describe("what would take seconds to hours to parse is refused", () => {
  const hostile: Readonly<Record<string, string>> = {
    "a file of 2 MB": `# ${"x".repeat(2 * 1_048_576)}`,
    "half a million brackets": "[".repeat(500_000),
    "half a million list marks": "- ".repeat(400_000),
    "a hundred thousand nested maps": "{a: ".repeat(100_000),
    "quotes without end": '"'.repeat(900_000),
    "anchors without end": "&a ".repeat(300_000),
    "a million commas": `[${"a,".repeat(500_000)}]`,
    "an alias bomb of twenty levels": [
      "x-0: &a0 [x, x]",
      ...Array.from({ length: 40 }, (_, i) => `x-${i + 1}: &a${i + 1} [*a${i}, *a${i}]`),
    ].join("\n"),
    "merge keys that double": [
      "x-0: &a0 { k: v }",
      ...Array.from({ length: 40 }, (_, i) => `x-${i + 1}: &a${i + 1} { l: *a${i}, r: *a${i} }`),
    ].join("\n"),
    "an alias to itself": "x-a: &a [*a]",
  };
  it.each(Object.keys(hostile))("%s", async (name) => {
    const path = join(scratch, "watches.yaml");
    writeFileSync(path, hostile[name] ?? "");
    const [first] = await findings(path);
    expect(first?.severity).toBe("error");
    expect(first?.rule).toMatch(/file-too-big|yaml-too-big|yaml-alias|yaml-syntax/);
    expect(first?.message.length).toBeLessThan(200);
  });
});

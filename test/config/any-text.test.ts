import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadText } from "./load-text.ts";

const whole = readFileSync(resolve(import.meta.dirname, "every-key.yaml"), "utf8");
const scrap = fc.oneof(
  fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    ": ",
    "#",
    "- ",
    "&a ",
    "*a",
    "!",
    "|",
    ">",
    '"',
    "'",
    "\t",
    "\n",
    "${",
    "$$",
    "<<: ",
    "@",
    "null",
    "12",
    "x-",
  ),
  fc.string(),
);

describe("any text", () => {
  it("is loaded or refused with places inside the file, never thrown at", async () => {
    const damage = fc.array(fc.record({ at: fc.nat(whole.length), cut: fc.nat(12), put: scrap }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(damage, async (blows) => {
        const text = blows.reduce(
          (left, { at, cut, put }) => left.slice(0, at) + put + left.slice(at + cut),
          whole,
        );
        const loaded = await loadText(text, { env: { SLACK_BOT_TOKEN: "x" } });
        const issues = loaded.ok ? loaded.config.warnings : loaded.issues;
        if (!loaded.ok) expect(issues.some((issue) => issue.severity === "error")).toBe(true);
        const lines = text.split("\n");
        for (const issue of issues) {
          expect(issue.line).toBeLessThanOrEqual(lines.length);
          expect(issue.column).toBeLessThanOrEqual((lines[issue.line - 1] ?? "").length + 1);
        }
      }),
      { numRuns: 80 },
    );
  });

  it("says how to begin when there is no file", async () => {
    const loaded = await loadText("", { path: "/etc/chirpwatch/other.yaml" });
    expect(loaded).toMatchObject({
      ok: false,
      issues: [
        {
          rule: "no-file",
          message: "there is no such file: `chirpwatch init slack` writes a small one",
        },
      ],
    });
  });
});

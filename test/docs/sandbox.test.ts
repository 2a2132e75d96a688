import { describe, expect, it } from "vitest";
import { BILLING_TABLE } from "../../src/sandbox/billing.ts";
import { answerControl } from "../../src/sandbox/control.ts";
import { FAULT_NAMES } from "../../src/sandbox/faults/kinds.ts";
import { PAGES } from "./pages.ts";

const page = PAGES.find(({ path }) => path === "docs/sandbox.md");

/** What the control API itself lists when it is asked for something it does not have. */
function knownCalls(): readonly string[] {
  const { text } = answerControl({} as Parameters<typeof answerControl>[0], "GET", new URL("http://sandbox/_sandbox/nothing"), "");
  return (JSON.parse(text) as { readonly message: string }).message.replace("known: ", "").split(", ");
}

describe("docs/sandbox.md", () => {
  it("holds the billing table as it is", () => {
    expect(page?.blocks.map(({ text }) => text)).toContain(BILLING_TABLE);
  });

  it("names every fault, and no other", () => {
    const table = page?.text.slice(page.text.indexOf("## Faults")) ?? "";
    const rows = table.split("\n").filter((line) => line.startsWith("| ") && line.includes("`"));
    expect(rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map((found) => found[1] ?? "")).toSorted()).toEqual(
      [...FAULT_NAMES].toSorted(),
    );
  });

  it("names every call of the control API, and no other", () => {
    const written = [...(page?.text ?? "").matchAll(/^\| `(GET|POST|DELETE) \/_sandbox\/([\w.]+)/gm)].map(
      (found) => `${found[1]} ${found[2]}`,
    );
    expect(written.toSorted()).toEqual(knownCalls().toSorted());
  });
});

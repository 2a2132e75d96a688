import { describe, expect, it } from "vitest";
import { formatDuration } from "../../src/model/duration.ts";
import { BILLING_TABLE } from "../../src/sandbox/calls/billing.ts";
import { answerControl } from "../../src/sandbox/control.ts";
import { FAULT_NAMES, FAULT_NUMBERS, KINDS } from "../../src/sandbox/faults/kinds.ts";
import { PAGES } from "./pages.ts";

const page = PAGES.find(({ path }) => path === "docs/sandbox.md");

function faultRow(name: string): string {
  const numbers = Object.entries(FAULT_NUMBERS).filter(([, numbered]) => numbered.name === name);
  const lastsMs = KINDS[name]?.lastsMs ?? 0;
  const own =
    lastsMs === Number.POSITIVE_INFINITY
      ? "until off"
      : lastsMs === 0
        ? ""
        : formatDuration(lastsMs);
  const ofNumbers = numbers.flatMap(([number, numbered]) =>
    numbered.lastsMs === undefined ? [] : [`${number}: ${formatDuration(numbered.lastsMs)}`],
  );
  return [name, numbers.map(([number]) => number).join(", "), own || ofNumbers.join(", ")].join(
    " | ",
  );
}

/** Returns the calls that the control API lists in its answer to an unknown one. */
function knownCalls(): readonly string[] {
  const { text } = answerControl({} as Parameters<typeof answerControl>[0], {
    method: "GET",
    url: new URL("http://sandbox/_sandbox/nothing"),
    body: "",
  });
  return (JSON.parse(text) as { readonly message: string }).message
    .replace("known: ", "")
    .split(", ");
}

describe("docs/sandbox.md", () => {
  it("holds the billing table as it is", () => {
    expect(page?.blocks.map(({ text }) => text)).toContain(BILLING_TABLE);
  });

  it("has a row for every fault, with its numbers and how long it holds", () => {
    const table = page?.text.slice(page.text.indexOf("## Faults")) ?? "";
    const rows = [...table.matchAll(/^\| `(\w+)` \| ([\d, ]*)\| ([^|]*?) ?\|/gm)].map(
      ([, name, numbers, holds]) => [name, numbers?.trim(), holds].join(" | "),
    );
    expect(rows.toSorted()).toEqual(FAULT_NAMES.map(faultRow).toSorted());
  });

  it("names every call of the control API, and no other", () => {
    const written = [
      ...(page?.text ?? "").matchAll(/^\| `(GET|POST|PATCH|DELETE) \/_sandbox\/([\w.]+)/gm),
    ].map((found) => `${found[1]} ${found[2]}`);
    expect(written.toSorted()).toEqual(knownCalls().toSorted());
  });
});

import { expect, it } from "vitest";
import { wasAlertedIn } from "../../../src/engine/quota/alerted-periods.ts";
import type { Json } from "../../../src/model/json.ts";

function notesWith(...stored: [string, Json][]) {
  const kept = new Map(stored);
  return {
    kept,
    readNote: async (name: string) => kept.get(name) ?? null,
    writeNote: async (name: string, value: Json) => void kept.set(name, value),
  };
}

it("knows what an older release reported, which kept one period alone", async () => {
  const notes = notesWith(["n", "2026-03-01"]);
  expect(await wasAlertedIn("2026-03-01", "n", notes)).toBe(true);
  expect(await wasAlertedIn("2026-04-01", "n", notes)).toBe(false);
  expect(await wasAlertedIn("2026-03-01", "n", notes)).toBe(true);
});

it("keeps the last few periods, and apart what is reported of them", async () => {
  const notes = notesWith();
  for (let month = 10; month < 30; month += 1) expect(await wasAlertedIn(`m${month}`, "n", notes)).toBe(false);
  expect(await wasAlertedIn("m29", "other", notes)).toBe(false);
  expect(notes.kept.get("n")).toEqual(["m26", "m27", "m28", "m29"]);
});

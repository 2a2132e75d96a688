import { expect, it } from "vitest";
import { isNewHandle, type AlertedHandles } from "../../../src/polling/targets/alerted-handles.ts";

/** Returns for each of these renames, seen one after the other, whether it is reported. */
function reported(renames: readonly (readonly [from: string, to: string])[]): readonly boolean[] {
  let handles: AlertedHandles = {};
  return renames.map(([from, to]) => {
    const step = isNewHandle(handles, "7", from, to);
    handles = step.handles;
    return step.isNew;
  });
}

it("a rename is reported once, however many watches see it again", () => {
  expect(
    reported([
      ["a", "b"],
      ["a", "b"],
    ]),
  ).toEqual([true, false]);
});

it("each rename is reported, also the one back to an old handle, but not to a watch that sees it late", () => {
  expect(
    reported([
      ["a", "b"],
      ["b", "c"],
      ["a", "b"],
      ["a", "c"],
    ]),
  ).toEqual([true, true, false, false]);
  expect(
    reported([
      ["a", "b"],
      ["b", "a"],
      ["b", "a"],
      ["a", "b"],
    ]),
  ).toEqual([true, true, false, true]);
});

it("an older handle that leads to one not reported before is reported", () => {
  expect(
    reported([
      ["a", "b"],
      ["a", "d"],
    ]),
  ).toEqual([true, true]);
});

it("keeps the latest accounts, and few handles of each", () => {
  let handles: AlertedHandles = Object.fromEntries(
    Array.from({ length: 995 }, (_, id) => [`id:${id}`, ["a", "b"]]),
  );
  for (let id = 995; id < 1_010; id += 1)
    handles = isNewHandle(handles, String(id), "a", "b").handles;
  expect(Object.keys(handles)).toHaveLength(1_000);
  expect(isNewHandle(handles, "1009", "a", "b").isNew).toBe(false);
  for (let n = 0; n < 20; n += 1) handles = isNewHandle(handles, "7", `h${n}`, `h${n + 1}`).handles;
  expect(handles["id:7"]).toEqual(["h16", "h17", "h18", "h19", "h20"]);
});

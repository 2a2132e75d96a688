/**
 * Decides which list a watch of new members reads: the service's 7-day list of indexed accounts, or
 * the whole list. Shared by the watch types that have both.
 */
import { z } from "zod";
import type { TargetState } from "../model/watch-store.ts";

export const sourceSchema = (list: string) =>
  z
    .enum(["auto", "indexed", "all"])
    .default("auto")
    .describe(
      `\`indexed\`: the service's 7-day list, in one request, for indexed accounts only. \`all\`: the list ${list}, in pages of 200. \`auto\`: \`indexed\` if the account is indexed, otherwise \`all\`.`,
    );

interface WindowSettings {
  readonly source: "auto" | "indexed" | "all";
  readonly full_read_every?: number | undefined;
}

/**
 * Arguments for zod's `refine`, which refuse `full_read_every` beside `source: indexed`: one
 * request reads the whole 7-day list anyway.
 */
export const FULL_READ_OF_WINDOW: [
  (settings: WindowSettings) => boolean,
  { readonly message: string; readonly path: string[] },
] = [
  ({ source, full_read_every: everyMs }) => source !== "indexed" || everyMs === undefined,
  {
    message:
      "`source: indexed` reads the whole 7-day list in one request: remove `full_read_every`",
    path: ["full_read_every"],
  },
];

/**
 * Returns which list to read. `auto` reads the 7-day list until the service answers that the
 * account is not indexed, which is stored under `mode` in the target's memory.
 */
export function indexedMode(
  settings: { readonly source: "auto" | "indexed" | "all" },
  target: Pick<TargetState, "memory">,
): "indexed" | "all" {
  if (settings.source !== "auto") return settings.source;
  return target.memory["mode"] === "all" ? "all" : "indexed";
}

/** Where a watch of newcomers looks: the service's 7-day list of indexed accounts, or the whole list. Shared by those that have both. */
import { z } from "zod";
import type { TargetState } from "../model/watch-store.ts";

export const sourceSchema = (list: string) =>
  z
    .enum(["auto", "indexed", "all"])
    .default("auto")
    .describe(
      `\`indexed\`: the service's 7-day list, one request, indexed accounts only. \`all\`: pages of 200 of the list ${list}. \`auto\`: indexed where the account is, else all.`,
    );

/** What `auto` found out about a target is kept in its memory under `mode`. */
export function indexedMode(
  settings: { readonly source: "auto" | "indexed" | "all" },
  target: Pick<TargetState, "memory">,
): "indexed" | "all" {
  if (settings.source !== "auto") return settings.source;
  return target.memory["mode"] === "all" ? "all" : "indexed";
}

/**
 * Loads the configuration that `init` is about to write, with sample values for its variables. The
 * result shows whether an answer makes the configuration invalid, and what its watches would cost.
 */
import { basename } from "node:path";
import { planQuota } from "../../operate/plan/plan-quota.ts";
import { createPlanView } from "../../operate/plan/plan-view.ts";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load/load-config.ts";
import { parseDotEnv } from "../../runtime/environment.ts";
import type { Files } from "../../model/files.ts";
import { sha256 } from "../../runtime/hash.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import { WATCH_TYPES } from "../../watches/registry.ts";
import { plural } from "../terminal/table.ts";
import type { StarterFiles } from "./init-files.ts";

/** The configuration is loaded under this path, at which no real file is read. */
const PATH = "/watches.yaml";

export type StarterCheck =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly message: string };

/**
 * Checks the text. Returns only the message of the first error, because its line is in a file that
 * does not exist yet.
 */
export async function checkStarter({ config: text, env }: StarterFiles): Promise<StarterCheck> {
  const files = {
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    files: oneFile(text),
    env: parseDotEnv(env),
  };
  const loaded = await loadConfig({ path: PATH, ...files, lenientSecrets: true });
  if (loaded.ok) return { ok: true, config: loaded.config };
  const [first] = loaded.issues.filter(({ severity }) => severity === "error");
  return { ok: false, message: first?.message ?? "the configuration cannot be loaded" };
}

/**
 * Returns a text such as "about 8,600 requests a month". The service is not asked for the quota,
 * because there is no key yet.
 */
export function costText(config: Config, nowMs: number): string {
  const quota = planQuota(undefined, { failure: "there is no key yet" });
  const { total } = createPlanView(config, {
    hash: sha256,
    nowMs,
    quota,
    states: [],
    slowDown: undefined,
  });
  return `about ${plural(Math.round(total.requests_per_month), "request")} a month`;
}

function oneFile(text: string): Files {
  const missing = (path: string) =>
    Object.assign(new Error(`no ${basename(path)}`), { code: "ENOENT" });
  const read = (path: string): string => {
    if (path !== PATH) throw missing(path);
    return text;
  };
  return {
    readText: async (path) => read(path),
    size: async (path) => Buffer.byteLength(read(path)),
    exists: async (path) => path === PATH,
    isDirectory: async () => false,
    list: async () => [],
  };
}

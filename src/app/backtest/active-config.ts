/** Loads the configuration that the last start or reload stored in the state, without its secrets. */
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load/load-config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Files } from "../../model/files.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import { WATCH_TYPES } from "../../watches/registry.ts";

const PATH = "/stored/watches.yaml";

/** @throws ExitError if the text is absent or cannot be loaded */
export async function loadActiveConfig(text: string | undefined): Promise<Config> {
  if (text === undefined) throw unusable("the state has no stored configuration");
  const loaded = await loadConfig({
    ...{ path: PATH, files: onlyFile(PATH, text), env: {}, lenientSecrets: true },
    ...{ watchTypes: WATCH_TYPES, sinkTypes: SINK_TYPES },
  });
  if (loaded.ok) return loaded.config;
  const first = loaded.issues.find(({ severity }) => severity === "error");
  throw unusable(`the stored configuration cannot be loaded by this version: ${first?.message}`);
}

const unusable = (reason: string): ExitError =>
  new ExitError(EXIT.failed, "BACKTEST_NO_CONFIG", reason, {
    hint: "Start or reload the daemon of this version once: it stores its configuration.",
  });

const onlyFile = (path: string, text: string): Files => ({
  readText: async (asked) =>
    asked === path
      ? text
      : Promise.reject(Object.assign(new Error(`no file ${asked}`), { code: "ENOENT" })),
  size: async (asked) => (asked === path ? text.length : 0),
  exists: async (asked) => asked === path,
  isDirectory: async () => false,
  list: async () => [],
});

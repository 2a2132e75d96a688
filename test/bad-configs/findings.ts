/** Loads a bad configuration and returns the issues found in it. */
import type { ConfigIssue } from "../../src/config/config.ts";
import { loadConfig } from "../../src/config/load/load-config.ts";
import { createFiles } from "../../src/runtime/files.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";

const ENV = {
  CHIRPWATCH_ALLOW_EXEC: "/usr/local/bin/on-alert",
  EMPTY: "",
  TOKEN: "0123456789abcdef",
  SAMPLE: "replace-with-your-key",
  USER_TOKEN: "xoxp-1-2-abc",
  APP_TOKEN: "xapp-1-A-abc",
  LOCAL_HOOK: "http://192.168.0.9/hook",
  SLACK_HOOK: "https://hooks.slack.com/services/T0/B0/abc",
  DISCORD_HOOK: "https://discord.com/api/webhooks/1128374650192837465/abc",
};

/** Returns the errors, or the warnings of a good file. `path` is a file or a folder. */
export async function findings(path: string): Promise<readonly ConfigIssue[]> {
  const nowMs = Date.UTC(2026, 0, 15);
  const loaded = await loadConfig({
    path,
    files: createFiles(),
    env: ENV,
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    nowMs,
  });
  return loaded.ok ? loaded.config.warnings : loaded.issues;
}

/** Loads a configuration that exists in memory only, against the real registries. */
import type { Config, ConfigIssue } from "../../src/config/config.ts";
import { loadConfig, type LoadResult } from "../../src/config/load/load-config.ts";
import { formatIssue } from "../../src/config/report.ts";
import type { Environment, Files } from "../../src/model/files.ts";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";

/** Serves files by absolute path. Every path lies in a folder that exists. */
function memoryFiles(texts: Readonly<Record<string, string>>): Files {
  const find = (path: string): string => {
    const text = texts[path];
    if (text === undefined) throw Object.assign(new Error(`no ${path}`), { code: "ENOENT" });
    return text;
  };
  const below = (path: string) => Object.keys(texts).filter((one) => one.startsWith(`${path}/`));
  return {
    readText: async (path) => find(path),
    size: async (path) => Buffer.byteLength(find(path)),
    exists: async (path) => path in texts || below(path).length > 0,
    isDirectory: async (path) => below(path).length > 0,
    list: async (path) => below(path).map((one) => one.slice(path.length + 1).split("/")[0] ?? ""),
  };
}

export interface LoadOptions {
  readonly env?: Environment;
  /** Other files by absolute path; the text itself is /etc/chirpwatch/watches.yaml. */
  readonly files?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly lenientSecrets?: boolean;
}

export const CONFIG_PATH = "/etc/chirpwatch/watches.yaml";

export function loadText(text: string, options: LoadOptions = {}): Promise<LoadResult> {
  return loadConfig({
    path: options.path ?? CONFIG_PATH,
    files: memoryFiles({ [CONFIG_PATH]: text, ...options.files }),
    env: options.env ?? {},
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    ...(options.lenientSecrets === undefined ? {} : { lenientSecrets: options.lenientSecrets }),
  });
}

/** Returns the configuration of a text, which must be good. */
export async function goodConfig(text: string, options: LoadOptions = {}): Promise<Config> {
  const loaded = await loadText(text, options);
  if (!loaded.ok) throw new Error(loaded.issues.map(formatIssue).join("\n"));
  return loaded.config;
}

/** Returns the issues of a text, which must be bad. */
export async function issuesOf(
  text: string,
  options: LoadOptions = {},
): Promise<readonly ConfigIssue[]> {
  const loaded = await loadText(text, options);
  if (loaded.ok) throw new Error("the configuration is good");
  return loaded.issues;
}

/** Returns a configuration with one search watch that has these lines, and a console sink. */
export const oneWatch = (lines: string, more = ""): string =>
  `watches:\n  w:\n    type: search\n    query: acme\n${lines.replace(/^(?=.)/gm, "    ")}\nsinks: { terminal: { type: console } }\nops: { sink: terminal }\n${more}`;

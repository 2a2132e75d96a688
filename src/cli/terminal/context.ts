/**
 * Holds what every command shares: the ports of this process, the options that name the
 * configuration, and how the configuration is loaded.
 */
import { resolve } from "node:path";
import type { Config, ConfigIssue } from "../../config/config.ts";
import { checkSandboxGuard } from "../../config/guard.ts";
import { type LoadRequest, type LoadResult, loadConfig } from "../../config/load/load-config.ts";
import { formatIssue } from "../../config/report.ts";
import type { Clock } from "../../model/clock.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Environment, Files } from "../../model/files.ts";
import type { Outputs } from "../../model/outputs.ts";
import type { Random } from "../../model/random.ts";
import { processEnvironment } from "../../runtime/environment.ts";
import { createFiles } from "../../runtime/files.ts";
import { type AlertOutput, createAlertOutput } from "../../runtime/alert-output.ts";
import type { HttpAgent } from "../../runtime/http-agent.ts";
import { createLogger, type Logger, type LogLevel } from "../../runtime/logger.ts";
import { createOutputs } from "../../runtime/outputs.ts";
import { packageVersion } from "../../runtime/package-file.ts";
import { createProcessEnd, type ProcessEnd } from "../../runtime/process-end.ts";
import { type Proxies, readProxies } from "../../runtime/proxies.ts";
import { createSystemClock } from "../../runtime/system-clock.ts";
import { createSystemRandom } from "../../runtime/system-random.ts";
import { onUncaught } from "../../runtime/uncaught-exception.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import { WATCH_TYPES } from "../../watches/registry.ts";
import { readLogLevel } from "./log-level.ts";

export interface CliContext {
  readonly clock: Clock;
  readonly random: Random;
  readonly files: Files;
  readonly env: Environment;
  readonly http: HttpAgent;
  /** A text that says which requests use a proxy. Undefined if none does. */
  readonly proxies: string | undefined;
  readonly outputs: Outputs;
  readonly version: string;
  /** The path with which the program was called. */
  readonly script: string;
  /** Listens for signals that the operating system sends to this process. */
  readonly onSignals: ProcessEnd["onSignals"];
  /** Ends the process after the command. */
  readonly leave: ProcessEnd["leave"];
  /** Handles errors that nothing caught, and ends the process. */
  readonly onUncaught: typeof onUncaught;
  /** Writes results to standard output. */
  out(text: string): void;
  /** Writes the alerts of a daemon's console sink. */
  readonly alerts: AlertOutput;
  /** Writes errors and progress to standard error. */
  err(text: string): void;
  /**
   * Creates a logger. Logs are written to standard error, so that results and alerts can be piped.
   */
  logger(level?: LogLevel): Logger;
}

export function createContext(): CliContext {
  const env = processEnvironment();
  const proxies = readProxies(env);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", letReadersLeave);
  return {
    clock: createSystemClock(),
    random: createSystemRandom(),
    files: createFiles(),
    env,
    http: createLateAgent(proxies),
    proxies: proxies.summary,
    outputs: createOutputs(env["CHIRPWATCH_ALLOW_EXEC"]),
    version: packageVersion(),
    script: process.argv[1] ?? "",
    ...createProcessEnd(),
    onUncaught,
    alerts: createAlertOutput(process.stdout, process.stderr),
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    logger: (level) => createLogger({ stream: process.stderr, level: level ?? readLogLevel(env) }),
  };
}

/** Returns the author for the audit log: the given name, or else the user of this terminal. */
export const nameCaller = ({ env }: CliContext, given = ""): string =>
  given || env["USER"] || "terminal";

/**
 * Creates an HTTP agent that loads the HTTP library with the first request. Loading it takes a
 * fifth of a start, and most commands send no request.
 */
function createLateAgent(proxies: Proxies): HttpAgent {
  let loading: Promise<HttpAgent> | undefined;
  const load = () =>
    (loading ??= import("../../runtime/http-agent.ts").then(({ createHttpAgent }) =>
      createHttpAgent({ proxies }),
    ));
  return {
    request: async (request) => (await load()).request(request),
    close: async () => (await loading)?.close(),
  };
}

/**
 * Ignores the error that occurs if the reader of a pipe ends first, as in `… | head`. The error is
 * not a failure, and must not end a daemon.
 */
function letReadersLeave(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** The options that several commands share. */
export const CONFIG_OPTION = [
  "-c, --config <file>",
  "configuration file or folder",
  "watches.yaml",
] as const;
export const JSON_OPTION = ["--json", "print JSON"] as const;
export const ONLINE_OPTION = [
  "--online",
  "ask the service how long the member lists are: one paid request per hundred accounts",
] as const;

export type LoadOptions = Pick<LoadRequest, "lenientSecrets" | "withStored">;

export const loadFrom = (
  context: CliContext,
  configPath: string,
  options: LoadOptions = {},
): Promise<LoadResult> =>
  loadConfig({
    path: resolve(configPath),
    files: context.files,
    env: context.env,
    watchTypes: WATCH_TYPES,
    sinkTypes: SINK_TYPES,
    nowMs: context.clock.now(),
    ...options,
  });

/**
 * Loads the configuration with every check. Start, reload and `validate` all call this, so that
 * they accept the same files.
 */
export async function loadGuarded(context: CliContext, configPath: string): Promise<LoadResult> {
  const loaded = await loadFrom(context, configPath, { withStored: true });
  const refusals = loaded.ok ? checkSandboxGuard(loaded.config, SINK_TYPES) : [];
  return loaded.ok && refusals.length > 0
    ? { ok: false, issues: [...loaded.config.warnings, ...refusals] }
    : loaded;
}

/** Loads the configuration. @throws ExitError with every error of the file */
export async function requireConfig(
  context: CliContext,
  configPath: string,
  options: LoadOptions = {},
): Promise<Config> {
  return orThrow(await loadFrom(context, configPath, options));
}

/** Returns the loaded configuration. @throws ExitError with every error of the file */
export function orThrow(loaded: LoadResult): Config {
  if (loaded.ok) return loaded.config;
  throw badConfig(loaded.issues.filter(({ severity }) => severity === "error"));
}

export const badConfig = (issues: readonly ConfigIssue[]): ExitError =>
  new ExitError(EXIT.badConfig, "CONFIG_INVALID", issues.map(formatIssue).join("\n"));

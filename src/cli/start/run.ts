/** `chirpwatch run`: runs the daemon until a signal. */
import type { Command } from "commander";
import { startDaemon } from "../../app/build.ts";
import { formatIssue } from "../../config/report.ts";
import type { Cancel } from "../../model/clock.ts";
import { ChirpwatchError } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { sha256 } from "../../runtime/hash.ts";
import { collectGarbageLater } from "../../runtime/collect-garbage.ts";
import { type CliContext, CONFIG_OPTION, loadGuarded, orThrow } from "../terminal/context.ts";
import { withServerToken } from "./server-token.ts";

/**
 * How long a stop may take. A usual stop ends sooner, because it waits at most eight seconds for
 * requests and messages under way.
 */
const STOP_WITHIN_MS = 15_000;

export function addRun(program: Command, context: CliContext): void {
  program
    .command("run")
    .description("run the daemon until SIGTERM or SIGINT")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch run -c watches.yaml")
    .action((options: { config: string }) => run(context, options.config));
}

async function run(context: CliContext, configPath: string): Promise<void> {
  // Signals are handled from here on, so that a signal during the start also leads to an orderly
  // stop.
  const stopping = new AbortController();
  const signalled = untilSignal(context);
  void signalled.then(() => stopping.abort());
  const log = context.logger();
  const loaded = orThrow(await loadGuarded(context, configPath));
  const config = {
    ...loaded,
    server: await withServerToken(loaded.server, { random: context.random, log }),
  };
  for (const secret of [
    config.server.token,
    config.server.readToken,
    config.state.postgres?.password,
  ])
    if (secret !== undefined) log.addSecret(secret);
  if (context.proxies !== undefined)
    log.info("requests go through a proxy", { proxies: context.proxies });
  for (const warning of config.warnings)
    log.warn("configuration warning", { at: formatIssue(warning) });
  const sandbox =
    config.api.baseUrl === "sandbox"
      ? await (await import("./embedded-sandbox.ts")).startEmbeddedSandbox(context, config, log)
      : undefined;
  let refuse: (error: ExitError) => void = () => undefined;
  const refused = new Promise<ExitError>((resolve) => (refuse = resolve));
  const stopCatching = context.onUncaught(EXIT.internal, async (error) => {
    log.error("unexpected error, the daemon exits; start it again", { error });
    await log.flush();
  });
  try {
    const daemon = await startDaemon(config, {
      ...context,
      onRefused: refuse,
      stopping: stopping.signal,
      log,
      hash: sha256,
      addSecret: log.addSecret,
      write: context.alerts.write,
      writesToLog: context.alerts.isLog,
      load: () => loadGuarded(context, configPath),
      watchFiles: true,
      ...(sandbox === undefined ? {} : { sandboxUrl: sandbox.url }),
    });
    const stopReload = context.onSignals(["SIGHUP"], () => void daemon.reload("SIGHUP"));
    const cancelCollecting = collectGarbageLater(context.clock);
    const reason = await Promise.race([signalled, refused]);
    cancelCollecting();
    log.info(
      "stopping",
      reason instanceof ExitError ? { because: reason.message } : { signal: reason },
    );
    const cancelEnd = reason instanceof ExitError ? endAfter(context, log, reason) : undefined;
    await daemon.stop();
    cancelEnd?.();
    stopReload();
    log.info("stopped");
    if (reason instanceof ExitError) throw reason;
  } catch (error) {
    if (stopping.signal.aborted && error instanceof ExitError && error.code === "STATE_LOCKED")
      return log.info("stopped while standing by");
    if (error instanceof ChirpwatchError) log.debug("start failed", { error });
    throw error;
  } finally {
    stopCatching();
    await sandbox?.close();
    await context.http.close();
    await log.flush();
  }
}

/**
 * Ends the process after a while even if the daemon does not stop. The fault that made the daemon
 * stop may also block the stop.
 */
function endAfter(
  { clock }: CliContext,
  log: ReturnType<CliContext["logger"]>,
  reason: ExitError,
): Cancel {
  return clock.after(STOP_WITHIN_MS, () => {
    log.error("the daemon could not be stopped cleanly and exits now", { because: reason.message });
    void log.flush().finally(() => process.exit(reason.exitCode));
  });
}

/** Resolves at the first signal. A second signal ends the process at once. */
function untilSignal({ onSignals }: CliContext): Promise<string> {
  return new Promise((resolve) => {
    const off = onSignals(["SIGTERM", "SIGINT"], (name) => {
      off();
      onSignals(["SIGTERM", "SIGINT"], () => process.exit(1));
      resolve(name);
    });
  });
}

/**
 * `chirpwatch health`: says in one sentence and an exit code whether the running daemon makes
 * progress, for a container's HEALTHCHECK.
 */
import type { Command } from "commander";
import { notRunning } from "../../operate/offline/not-running.ts";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Json } from "../../model/json.ts";
import { askDaemon, textAt } from "../access/ask-daemon.ts";
import type { CliContext } from "../terminal/context.ts";
import { findDaemon } from "../access/find-daemon.ts";

interface HealthFlags {
  readonly config: string;
  readonly url?: string;
}

interface HealthAnswer {
  readonly status: number;
  readonly body: Json;
}

/** A container's HEALTHCHECK gives up after five seconds, so this command gives up before. */
const TIMEOUT_MS = 4_000;

export function addHealth(program: Command, context: CliContext): void {
  program
    .command("health")
    .description("check whether the running daemon is healthy; exit code 0 or 1")
    .option("-c, --config <file>", "configuration of the daemon", "watches.yaml")
    .option("--url <address>", "ask this status address instead, e.g. http://127.0.0.1:9464")
    .addHelpText("after", "\nExample:\n  chirpwatch health --url http://127.0.0.1:9464")
    .action((flags: HealthFlags) => health(context, flags));
}

async function health(context: CliContext, { config, url }: HealthFlags): Promise<void> {
  const answer = await (url === undefined ? askByConfig(context, config) : askUrl(context, url));
  const reason = textAt(answer.body, "reason") || textAt(answer.body, "error", "message");
  if (answer.status !== 200)
    throw unwell(`the daemon is not healthy: ${reason || `it answered ${answer.status}`}`);
  context.out(reason === "" ? "the daemon is healthy" : `the daemon is healthy: ${reason}`);
}

const unwell = (message: string): ExitError => new ExitError(EXIT.failed, "NOT_HEALTHY", message);

/**
 * Asks the daemon of a configuration. An invalid file does not make the daemon unhealthy, because
 * it still runs with the configuration that it loaded before.
 */
async function askByConfig(context: CliContext, path: string): Promise<HealthAnswer> {
  const place = await findDaemon(context, path);
  const answer = await askDaemon(place, "GET", "/healthz", { timeoutMs: TIMEOUT_MS });
  if (answer !== undefined) return answer;
  const { state, fault } = place;
  const listen = context.env["CHIRPWATCH_SERVER_LISTEN"];
  if (fault !== undefined && listen !== undefined && listen !== "")
    return askUrl(context, `http://${listen.replace(/^(0\.0\.0\.0|\[::\]):/, "127.0.0.1:")}`);
  throw notRunning(state, fault);
}

async function askUrl(context: CliContext, url: string): Promise<HealthAnswer> {
  if (!URL.canParse("/healthz", url))
    throw new ExitError(EXIT.usage, "BAD_ADDRESS", `${url} is not a web address`, {
      hint: "write it like http://127.0.0.1:9464",
    });
  try {
    const { status, body } = await context.http.request({
      method: "GET",
      url: new URL("/healthz", url).href,
      timeoutMs: TIMEOUT_MS,
      maxBytes: 65_536,
      reach: "any",
    });
    return { status, body: parse(body) };
  } catch (error) {
    throw unwell(`no daemon answers at ${url}: ${errorText(error)}`);
  } finally {
    await context.http.close();
  }
}

function parse(body: string): Json {
  try {
    return JSON.parse(body) as Json;
  } catch {
    return null;
  }
}

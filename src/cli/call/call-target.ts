/**
 * Decides which service `call` asks: the one in the configuration file or, if there is no file, the
 * one that the environment variables name.
 */
import { resolve } from "node:path";
import { checkBaseUrl } from "../../api/base-url.ts";
import type { ApiConfig } from "../../config/config.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import { withDotEnv } from "../../runtime/environment.ts";
import { type CliContext, requireConfig } from "../terminal/context.ts";

export interface CallTarget {
  readonly api: ApiConfig;
  readonly state: StateAddress | undefined;
}

const DEFAULT_FILE = "watches.yaml";

/**
 * Finds the service and its key. If `configPath` is undefined, `watches.yaml` is used if it exists.
 * @throws ExitError with exit code 78 if neither the file nor the environment names a service
 */
export async function findCallTarget(
  context: CliContext,
  configPath: string | undefined,
): Promise<CallTarget> {
  if (configPath !== undefined || (await context.files.exists(resolve(DEFAULT_FILE)))) {
    const { api, state } = await requireConfig(context, configPath ?? DEFAULT_FILE, {
      lenientSecrets: true,
    });
    return { api, state };
  }
  return { api: await apiOfEnvironment(context), state: undefined };
}

async function apiOfEnvironment(context: CliContext): Promise<ApiConfig> {
  const env = await withDotEnv(context.env, context.files, resolve(DEFAULT_FILE));
  const baseUrl = env["CHIRPWATCH_API_URL"]?.trim() ?? "";
  if (baseUrl === "")
    throw refuse(
      `there is no ${DEFAULT_FILE} here and CHIRPWATCH_API_URL is not set`,
      "Set it with CHIRPWATCH_API_KEY, or name a file: -c FILE.",
    );
  const address = baseUrl === "sandbox" ? undefined : checkBaseUrl(baseUrl);
  if (address !== undefined && "problem" in address)
    throw refuse(`CHIRPWATCH_API_URL: ${address.problem}`, address.hint);
  const key = env["CHIRPWATCH_API_KEY"]?.trim() ?? (baseUrl === "sandbox" ? "sandbox" : "");
  if (key === "")
    throw refuse("CHIRPWATCH_API_KEY is not set", "Set it to the key of your data service.");
  return {
    baseUrl,
    key,
    timeoutMs: 30_000,
    rate: { count: 20, intervalMs: 1_000 },
    quota: { resetDay: 1, timezone: "UTC", reserve: 0, onExhausted: "degrade" },
  };
}

const refuse = (message: string, hint: string): ExitError =>
  new ExitError(EXIT.badConfig, "CONFIG_INVALID", message, { hint });

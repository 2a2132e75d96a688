/**
 * Reads the server's address and token from the environment, for container images and systemd units
 * that cannot change the file. The environment's address overrides the file's, and the file's token
 * overrides the environment's. If the token file does not exist yet, `run` creates it.
 */
import { resolve } from "node:path";
import type { Environment, Files } from "../../model/files.ts";
import { isLoopback } from "../../model/loopback.ts";
import type { Config } from "../config.ts";
import { readErrorText, readSecretText } from "../text/read-files.ts";
import type { Report } from "../report.ts";
import { type Listen, listen } from "../schema/scalar-schemas.ts";
import type { Place } from "../tree.ts";
import { ownValue } from "../../model/own-value.ts";

const LISTEN = "CHIRPWATCH_SERVER_LISTEN";
const TOKEN = "CHIRPWATCH_SERVER_TOKEN";
const TOKEN_FILE = "CHIRPWATCH_SERVER_TOKEN_FILE";

export interface ServerSettings {
  readonly listen: Listen;
  readonly public_url?: string | undefined;
  readonly token?: string | undefined;
  readonly read_token?: string | undefined;
}

export interface ServerDeps {
  readonly env: Environment;
  readonly files: Files;
  readonly report: Report;
  /** The place of `server.listen`, or where it would be. */
  readonly place: Place;
  /** The place of `server.read_token` or `server.read_token_file`, or of the section. */
  readonly readTokenPlace: Place;
  /**
   * Set for commands that start no server on this address. For them it is no error if the address
   * is open to other machines without a token.
   */
  readonly lenient: boolean;
}

/**
 * Returns the server's settings. Reports errors, also an address open to other machines without a
 * token.
 */
export async function buildServerAddress(
  written: ServerSettings,
  deps: ServerDeps,
): Promise<Config["server"]> {
  const { host, port } = listenOf(deps) ?? written.listen;
  const token = written.token ?? (await tokenOf(deps));
  if (token === undefined && !deps.lenient && !isLoopback(host))
    deps.report.error(deps.place, "listen-token", openWords(host, deps.env));
  const { read_token: readToken, public_url: publicUrl } = written;
  if (readToken !== undefined && (token === undefined || token === readToken))
    deps.report.error(
      deps.readTokenPlace,
      "read-token",
      token === undefined
        ? "`read_token` needs `token` or `token_file` beside it: without one, whoever reaches this address may change things"
        : "`read_token` is the same as `token`: write another one, which may only read",
    );
  const address = { host, port, publicUrl, readToken };
  if (token === undefined) return address;
  return typeof token === "string"
    ? { ...address, token }
    : { ...address, newTokenFile: token.missing };
}

/** Whether the environment decides where the server listens. */
export const namesListen = (env: Environment): boolean => valueOf(env, LISTEN) !== undefined;

/**
 * Returns a variable's value. An empty variable counts as not set, because compose files cannot
 * leave one out.
 */
const valueOf = (env: Environment, name: string): string | undefined =>
  ownValue(env, name)?.trim() || undefined;

function listenOf({ env, report, place }: ServerDeps): Listen | undefined {
  const text = valueOf(env, LISTEN);
  if (text === undefined) return undefined;
  const read = listen().safeParse(text);
  if (!read.success)
    report.error(
      place,
      "listen",
      `${LISTEN}: ${read.error.issues[0]?.message ?? "cannot be read"}`,
    );
  return read.data;
}

/** Returns the token from the environment, or the path of its file if that does not exist yet. */
async function tokenOf({
  env,
  files,
  report,
  place,
}: ServerDeps): Promise<string | { readonly missing: string } | undefined> {
  const direct = valueOf(env, TOKEN);
  const named = valueOf(env, TOKEN_FILE);
  if (direct !== undefined || named === undefined) return direct;
  const path = resolve(named);
  try {
    const token = await readSecretText(files, path);
    if (token !== "") return token;
    report.error(
      place,
      "secret-file",
      `${TOKEN_FILE}: ${path} is empty: write a token into it, or remove it, and \`run\` creates one`,
    );
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "ENOENT") return { missing: path };
    report.error(place, "secret-file", `${TOKEN_FILE}: ${path}: ${readErrorText(error)}`);
  }
  return "";
}

const openWords = (host: string, env: Environment): string =>
  namesListen(env)
    ? `${LISTEN} on ${host} can be reached from other machines: set ${TOKEN} or ${TOKEN_FILE}, or listen on 127.0.0.1`
    : `\`listen\` on ${host} can be reached from other machines: set \`token\` or \`token_file\`, or listen on 127.0.0.1`;

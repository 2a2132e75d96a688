/**
 * Creates the server's token if the environment names a token file that does not exist yet. The
 * container image does that.
 */
import { dirname } from "node:path";
import type { ServerConfig } from "../../config/config.ts";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Log } from "../../model/log.ts";
import type { Random } from "../../model/random.ts";
import { writeSecretFile } from "../../runtime/write-files.ts";
import { makePrivateFolders } from "../../state/db/private-files.ts";
import { writeDenial } from "../../state/files/write-denial.ts";

export interface TokenDeps {
  readonly random: Random;
  readonly log: Log;
}

/**
 * Returns the server's settings, with a new token if `newTokenFile` is set, and stores the token in
 * that file. The log gets the file's path, never the token. @throws ExitError with exit code 73 if
 * the file cannot be written
 */
export async function withServerToken(
  server: ServerConfig,
  { random, log }: TokenDeps,
): Promise<ServerConfig> {
  const { newTokenFile: path, ...rest } = server;
  if (path === undefined) return server;
  const token = random.id();
  try {
    makePrivateFolders(dirname(path));
    await writeSecretFile(path, `${token}\n`);
  } catch (error) {
    throw new ExitError(
      EXIT.cannotCreate,
      "SERVER_TOKEN_CANNOT_WRITE",
      `cannot write the server's token to ${path}: ${errorWords(error)}`,
      {
        hint:
          writeDenial(path) ?? "let this user write to that folder, or set CHIRPWATCH_SERVER_TOKEN",
        cause: error,
      },
    );
  }
  log.info("server token made", { path });
  return { ...rest, token };
}

function errorWords(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "EACCES" || code === "EPERM") return "this user may not write there";
  if (code === "EROFS") return "that file system is read-only";
  return errorText(error);
}

/** Starts PgBouncer in front of a server, if it is installed. */
import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { freePort, nobody, type PostgresServer } from "./postgres.ts";
import { skipAloud } from "./skip-aloud.ts";

/**
 * The error codes for a program that is nowhere in PATH. The second one occurs when a folder of
 * PATH is closed to the user.
 */
const NOT_FOUND = ["ENOENT", "EACCES"];

/** Returns the same address through the pooler, which ends with the test. */
export async function throughPgBouncer(
  context: TestContext,
  server: PostgresServer,
  poolMode: "session" | "transaction",
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "chirpwatch-pgbouncer-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const settings = [
    ...[
      "[databases]",
      `* = host=127.0.0.1 port=${server.port} user=${server.user} password=${server.password}`,
      "[pgbouncer]",
    ],
    ...[
      "listen_addr = 127.0.0.1",
      `listen_port = ${port}`,
      "unix_socket_dir =",
      "auth_type = any",
      `pool_mode = ${poolMode}`,
    ],
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, `${settings.join("\n")}\n`, { mode: 0o644 });
  const pooler = spawn("pgbouncer", [file], { ...nobody(), stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(() => {
    pooler.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  const said = await new Promise<string>((resolve) => {
    let text = "";
    pooler.stderr.setEncoding("utf8").on("data", (more: string) => {
      text += more;
      if (text.includes("process up")) resolve("process up");
    });
    pooler
      .once("error", ({ code, message }: NodeJS.ErrnoException) => resolve(code ?? message))
      .once("exit", () => resolve(text));
  });
  if (NOT_FOUND.includes(said))
    skipAloud(context, "PgBouncer is not installed (Debian's package pgbouncer has it)");
  if (said !== "process up") throw new Error(`pgbouncer ended: ${said}`);
  const address = new URL(await server.url());
  address.port = String(port);
  return address.href;
}

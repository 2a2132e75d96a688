/**
 * The process environment, and the `.env` file beside a configuration. Owns how `.env` is read; not
 * what the names mean.
 */
import { dirname, join } from "node:path";
import type { Environment, Files } from "../model/files.ts";
import { ownValue } from "../model/own-value.ts";

/** The environment the process was started with, as it is now. */
export const processEnvironment = (): Environment => ({ ...process.env });

/**
 * `real` over the `.env` beside `configPath` (a file, or a folder of them): a name that is set for
 * real wins, an empty one too.
 */
export async function withDotEnv(
  real: Environment,
  files: Files,
  configPath: string,
): Promise<Environment> {
  const folder = (await files.isDirectory(configPath)) ? configPath : dirname(configPath);
  const path = join(folder, ".env");
  if (!(await files.exists(path)) || (await files.isDirectory(path))) return real;
  return { ...parseDotEnv(await files.readText(path)), ...real };
}

const LINE =
  /^[ \t]*(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\n]*?))[ \t]*(?:[ \t]#[^\n]*)?$/gm;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/**
 * `NAME=value` lines; quotes may span lines; ` #` starts a comment outside quotes. Nothing is
 * interpolated.
 */
export function parseDotEnv(text: string): Record<string, string> {
  // Without a prototype: an assignment to `__proto__` would be lost.
  const found: Record<string, string> = Object.create(null);
  for (const [, name = "", single, double, bare] of text.replaceAll("\r\n", "\n").matchAll(LINE)) {
    found[name] =
      single ??
      double?.replace(/\\(.)/gs, (_, char: string) => ownValue(ESCAPES, char) ?? char) ??
      bare?.replace(/^#.*/, "") ??
      "";
  }
  return found;
}

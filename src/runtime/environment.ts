/**
 * Reads the process environment and the `.env` file next to a configuration. Does not know what the
 * variables mean.
 */
import { dirname, join } from "node:path";
import type { Environment, Files } from "../model/files.ts";
import { ownValue } from "../model/own-value.ts";

/** Returns a copy of the process's current environment. */
export const processEnvironment = (): Environment => ({ ...process.env });

/**
 * Returns `real`, extended by the `.env` file next to `configPath` (a file or a folder). A variable
 * that is set in `real` wins, even if it is empty.
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
 * Parses lines of the form `NAME=value`. Quoted values may contain line breaks. Outside quotes, a
 * `#` at the start of a value or after white space starts a comment. Variables in values are not
 * substituted.
 */
export function parseDotEnv(text: string): Record<string, string> {
  // The object has no prototype, because an assignment to `__proto__` would otherwise be lost.
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

/**
 * Explains that a file of this package is missing, because the package was copied or unpacked
 * incompletely, or was changed afterwards.
 */
import { dirname, join } from "node:path";
import { packageFile } from "./package-file.ts";

/**
 * Returns a text that names the missing file and the remedy; undefined if the error is not about a
 * missing file of this package.
 */
export function incompleteText(error: unknown): string | undefined {
  const {
    code,
    message = "",
    path,
    requireStack: [requiredBy = ""] = [],
  } = (error ?? {}) as {
    code?: unknown;
    message?: string;
    path?: string;
    requireStack?: readonly string[];
  };
  const root = packageFile("");
  const module = code === "MODULE_NOT_FOUND" ? /'(\.[^']+)'/.exec(message)?.[1] : undefined;
  const named = module === undefined ? path : join(dirname(requiredBy), module);
  if (module === undefined && code !== "ENOENT") return undefined;
  if (named === undefined || !named.startsWith(root) || named.includes("node_modules", root.length))
    return undefined;
  return `chirpwatch is incomplete: ${named.slice(root.length)} is missing.\nInstall it again, and compare what you install with its SHA256SUMS.`;
}

/**
 * Builds dist/ with the TypeScript of this checkout: on `npm ci`, `npm run build`, and before packing. Where TypeScript is not installed
 * (`npm ci --omit=dev`), a dist/ built before stays as it is, and without one it says what to do: an install never fails for that.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const entry = join(root, "dist", "main.js");

/** Path of the compiler's script, or undefined when TypeScript is not installed in this checkout: one further up is somebody else's. */
function findCompiler() {
  const folder = join(root, "node_modules", "typescript");
  const manifest = join(folder, "package.json");
  return existsSync(manifest) ? join(folder, JSON.parse(readFileSync(manifest, "utf8")).bin.tsc) : undefined;
}

/** Removes what an older build left behind, so that a deleted source file is gone from the package too. */
function build(compiler) {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler, "-p", "tsconfig.build.json"], { cwd: root, stdio: "inherit" });
  if (status === 0 && existsSync(entry)) chmodSync(entry, 0o755);
  return status ?? 1;
}

const compiler = findCompiler();
if (compiler !== undefined) process.exitCode = build(compiler);
else if (!existsSync(entry)) {
  console.log(
    "chirpwatch is not built: TypeScript is a development dependency, so run `npm ci` once without --omit=dev (npm prune --omit=dev removes it again).",
  );
}

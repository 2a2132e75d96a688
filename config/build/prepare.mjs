/**
 * Builds dist/ on `npm ci`, `npm run build`, and before packing: TypeScript checks the sources and
 * writes their types, Rolldown joins the sources with the libraries, and the types of each entry,
 * into a few files. Where the two are not installed (`npm ci --omit=dev`), a dist/ built before
 * stays as it is, and without one it says what to do: an install never fails for that.
 */
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDriver } from "./driver.mjs";
import { licenceTexts } from "./licences.mjs";
import { NOT_BUNDLED } from "./not-bundled.mjs";
import { refuseOldTools } from "./tools.mjs";
import { undiciParts } from "./undici-parts.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const dist = join(root, "dist");
const entries = {
  main: join(dist, "main.js"),
  index: join(dist, "index.js"),
  "template-worker": join(dist, "template-worker.js"),
  "backtest-worker": join(dist, "backtest-worker.js"),
};

/**
 * Path of the compiler's script, or undefined when it or the bundler is not installed in this
 * checkout: one further up is somebody else's.
 */
function findCompiler() {
  const folder = join(root, "node_modules", "typescript");
  const manifest = join(folder, "package.json");
  if (!existsSync(manifest) || !existsSync(join(root, "node_modules", "rolldown", "package.json")))
    return undefined;
  return join(folder, JSON.parse(readFileSync(manifest, "utf8")).bin.tsc);
}

/**
 * Removes what an older build left behind, so that a deleted source file is gone from the package
 * too.
 */
async function build(compiler) {
  rmSync(dist, { recursive: true, force: true });
  const types = mkdtempSync(join(root, ".types-"));
  try {
    const project = ["-p", "tsconfig.build.json", "--emitDeclarationOnly", "--outDir", types];
    const { status } = spawnSync(process.execPath, [compiler, ...project], {
      cwd: root,
      stdio: "inherit",
    });
    if (status !== 0) return status ?? 1;
    await bundle();
    await bundleTypes(types);
  } finally {
    rmSync(types, { recursive: true, force: true });
  }
  chmodSync(entries.main, 0o755);
  return 0;
}

/**
 * Finding and reading five hundred modules took half of the time of a start. What is imported with
 * `import()` keeps files of its own and is read when it is wanted. Names and lines stay, and a
 * comment names each source: a stack trace needs no source map. Other comments are left out, a fifth
 * of the package. Files lie as deep as their sources,
 * which look for package.json.
 */
async function bundle() {
  const { rolldown } = await import("rolldown");
  const input = Object.fromEntries(
    Object.keys(entries)
      .map((name) => [name, join(root, "src", `${name}.ts`)])
      .filter(([, path]) => existsSync(path)),
  );
  const plugins = [undiciParts(join(root, "src", "main.ts"))];
  const bundled = await rolldown({
    cwd: root,
    input,
    platform: "node",
    external: NOT_BUNDLED,
    plugins,
  });
  const { output } = await bundled.write({
    comments: { legal: true, annotation: true, jsdoc: false },
    dir: dist,
    // Compiled code of these modules can be kept between starts on every Node, of others not.
    format: "cjs",
    // On Node 20 code that was kept cannot import(), so packages that load late are required.
    dynamicImportInCjs: false,
    chunkFileNames: "chunks/[name].js",
  });
  await bundled.close();
  writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');
  output.filter(({ type }) => type === "chunk").forEach(escapeAll);
  writeFileSync(
    join(dist, "THIRD_PARTY_LICENSES.txt"),
    licenceTexts(output.flatMap(({ moduleIds }) => moduleIds ?? [])),
  );
}

/**
 * Writes each character beyond ASCII as an escape: a file with one of them takes twice its size in
 * memory for as long as the process runs. No source has one in a raw template.
 */
function escapeAll({ fileName, code }) {
  const escaped = code.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  if (escaped !== code) writeFileSync(join(dist, fileName), escaped);
}

/**
 * Joins the declarations that a program of somebody else can reach into one file; those of inner
 * rooms stay out. Packages are imported by name.
 */
async function bundleTypes(types) {
  const entry = join(types, "index.d.ts");
  if (!existsSync(entry)) return;
  const [{ rolldown }, { dts }] = await Promise.all([
    import("rolldown"),
    import("rolldown-plugin-dts"),
  ]);
  const plugins = [dts({ dtsInput: true, tsconfig: false })];
  const external = /^(?:node:|@?[a-z])/;
  const bundled = await rolldown({
    cwd: types,
    input: { index: entry },
    plugins,
    external,
    checks: { pluginTimings: false },
  });
  await bundled.write({ dir: dist, format: "esm" });
  await bundled.close();
}

refuseOldTools();
await buildDriver(root);
const compiler = findCompiler();
if (compiler !== undefined) process.exitCode = await build(compiler);
else if (!existsSync(entries.main)) {
  console.log(
    "chirpwatch is not built: TypeScript is a development dependency, so run `npm ci` once without --omit=dev (npm prune --omit=dev removes it again).",
  );
}

/**
 * Builds the SQLite driver of Node 20 during `npm ci`, and says how far it is: npm itself shows
 * nothing of what a dependency compiles.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const NAME = "better-sqlite3-node20";
const PROGRESS_EVERY_MS = 10_000;
/** The last lines of the compiler's output name what is missing. */
const MAX_LINES_SHOWN = 15;

/**
 * Downloads the driver's binary, or compiles it. Does nothing if it was built, or if npm left it
 * out because this Node does not need it. A failure is printed with its cure and fails no install:
 * commands that need no state work without a driver.
 */
export async function buildDriver(root) {
  const folder = join(root, "node_modules", NAME);
  if (
    !existsSync(join(folder, "package.json")) ||
    existsSync(join(folder, "build", "Release", "better_sqlite3.node"))
  )
    return;
  console.log(
    `Node ${process.versions.node} uses an older SQLite driver. It is downloaded, or compiled in one to three minutes.`,
  );
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1000);
  const progress = setInterval(
    () => console.log(`  building the SQLite driver: ${seconds()} s`),
    PROGRESS_EVERY_MS,
  );
  const { status, output } = await runInstallScript(folder);
  clearInterval(progress);
  if (status === 0) console.log(`  built the SQLite driver in ${seconds()} s`);
  else
    console.error(
      `${output.trimEnd().split("\n").slice(-MAX_LINES_SHOWN).join("\n")}\n` +
        "The SQLite driver could not be built, so chirpwatch cannot keep a state. Install python3, make and g++ " +
        "(Debian: apt-get install python3 make g++), set HTTPS_PROXY where downloads need a proxy, or use Node 22.14 or newer, whose driver needs no compiler. Then run `npm ci` again.",
    );
}

/** Runs the package's own install script. npm sets `npm_execpath` while it runs `prepare`. */
function runInstallScript(cwd) {
  const npm = process.env.npm_execpath;
  const [command, args] = npm === undefined ? ["npm", []] : [process.execPath, [npm]];
  return new Promise((resolve) => {
    let output = "";
    const env = { ...headersOfThisNode(), ...process.env };
    const child = spawn(command, [...args, "run", "install"], {
      cwd,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes) => (output += bytes));
    child.on("error", (error) => resolve({ status: 1, output: error.message }));
    child.on("close", (status) => resolve({ status, output }));
  });
}

/**
 * Names the headers that lie beside this Node, so that a compiler needs no download of them. A
 * setting of the user's own comes first.
 */
function headersOfThisNode() {
  const prefix = dirname(dirname(process.execPath));
  const header = join(prefix, "include", "node", "node_version.h");
  const major = process.versions.node.split(".")[0];
  const isOfThisNode =
    existsSync(header) &&
    readFileSync(header, "utf8").includes(`#define NODE_MAJOR_VERSION ${major}\n`);
  return isOfThisNode ? { npm_config_nodedir: prefix } : {};
}

/**
 * `npm run test:planted`: plants bugs one at a time in a copy of the tree, and prints which of them
 * the tests or the simulation catch.
 */
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Patch, readPatches } from "./patches.ts";

const HELP = `npm run test:planted -- [options] [name ...]

  names             patches of test/planted, or the beginning of their names; all of them unless given
  --all             every test, not only those that a patch names
  --seeds N         seeds of the simulation for what passes the tests; 500 unless given, 0: none
  --simulation      no tests: the simulation alone
  --workers N       processes of the simulation; one per core unless given
  --list            only say what there is`;

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: "boolean" },
    seeds: { type: "string", default: "500" },
    simulation: { type: "boolean" },
    workers: { type: "string" },
    list: { type: "boolean" },
    help: { type: "boolean" },
  },
});

/** The result of one run of a planted bug. */
interface Outcome {
  readonly patch: Patch;
  /** The test or seed that failed. Undefined: the bug escaped. */
  readonly caughtBy: string | undefined;
}

const root = process.cwd();
const chosen = readPatches(root).filter(
  ({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)),
);
if (values.help) console.log(HELP);
else if (values.list)
  for (const { name, shape, bug } of chosen) console.log(`${name} (${shape}): ${bug}`);
else await plantAll();

async function plantAll(): Promise<void> {
  const copy = copyTree();
  const outcomes: Outcome[] = [];
  try {
    for (const patch of chosen) {
      const outcome = await plant(copy, patch);
      console.log(
        outcome.caughtBy === undefined
          ? `ESCAPED ${patch.name}`
          : `caught  ${patch.name}: ${outcome.caughtBy}`,
      );
      outcomes.push(outcome);
    }
  } finally {
    rmSync(copy, { recursive: true });
  }
  const escaped = outcomes.filter(({ caughtBy }) => caughtBy === undefined);
  console.log(
    `\n${outcomes.length} planted, ${outcomes.length - escaped.length} caught, ${escaped.length} escaped`,
  );
  for (const { patch } of escaped) console.log(`escaped: ${patch.name}: ${patch.bug}`);
  process.exitCode = escaped.length === 0 && outcomes.length > 0 ? 0 : 1;
}

/**
 * Copies all files that git knows, with uncommitted edits, to a place where a patch does no harm.
 */
function copyTree(): string {
  const copy = mkdtempSync(join(tmpdir(), "chirpwatch-planted-"));
  const listed = execFileSync(
    "git",
    ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate"],
    { encoding: "utf8" },
  );
  for (const file of listed.split("\n").filter((name) => name !== "")) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const folder of ["node_modules", "dist"])
    symlinkSync(join(root, folder), join(copy, folder));
  return copy;
}

async function plant(copy: string, patch: Patch): Promise<Outcome> {
  const apply = (...more: string[]) =>
    execFileSync("git", ["apply", ...more, resolve(root, patch.path)], { cwd: copy });
  apply();
  try {
    if (patch.scenario !== undefined)
      return { patch, caughtBy: await failedSim(copy, "--scenario", patch.scenario) };
    const test = values.simulation ? undefined : await failedTest(copy, patch);
    return { patch, caughtBy: test ?? (await failedSeed(copy)) };
  } finally {
    apply("--reverse");
  }
}

async function failedTest(copy: string, { tests }: Patch): Promise<string | undefined> {
  // The tests of planted patches are left out. A patch does not apply a second time, so they would
  // catch every bug.
  const which = values.all ? ["--exclude", "test/planted/**"] : ["--maxWorkers", "1", ...tests];
  // All but one file is as it was for the patch before: compiling them again took 40% of the time.
  const cached = "--experimental.fsModuleCache";
  const vitest = ["vitest", "run", "--bail", "1", cached, "--reporter", "json", ...which];
  const { code, output } = await run(copy, ["npx", "--no-install", ...vitest]);
  if (code === 0) return undefined;
  const report = JSON.parse(output.slice(output.indexOf('{"num'))) as Report;
  const failed = report.testResults.find(({ status }) => status === "failed");
  const test = failed?.assertionResults.find(({ status }) => status === "failed");
  return `${failed?.name.replace(`${copy}/`, "") ?? "no test"}: ${test?.fullName ?? "it does not load"}`;
}

/** The part of vitest's report that is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

async function failedSeed(copy: string): Promise<string | undefined> {
  if (values.seeds === "0") return undefined;
  const workers = values.workers === undefined ? [] : ["--workers", values.workers];
  return failedSim(copy, "--seeds", values.seeds, "--bail", ...workers);
}

async function failedSim(copy: string, ...args: readonly string[]): Promise<string | undefined> {
  // Checking types takes longer than a few seeds, and a bug whose types are wrong is none.
  const tsc = ["npx", "--no-install", "tsc", "-p", "tsconfig.sim.json", "--noCheck"];
  const built = await run(copy, tsc);
  if (built.code !== 0) throw new Error(`it does not compile: ${built.output.slice(-2_000)}`);
  const sim = [process.execPath, "--enable-source-maps", ".sim/test/sim/main.js"];
  const { code, output } = await run(copy, [...sim, ...args]);
  if (code === 0) return undefined;
  const again = /again: .*(--(?:seed|scenario) .*)/.exec(output)?.[1];
  if (again === undefined) throw new Error(`the simulation did not run: ${output.slice(-2_000)}`);
  return `the simulation, ${again}`;
}

/** Runs a command and returns its output and exit code. */
function run(
  cwd: string,
  [command = "", ...args]: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  return new Promise((done, failed) => {
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("error", failed);
    child.on("close", (code) => done({ code: code ?? 1, output }));
  });
}

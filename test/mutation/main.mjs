/**
 * Changes the code of a folder in a thousand small ways and prints the changes that no test
 * notices: `npm run test:mutation [-- folder…] [-- --mutate file]`.
 */
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { parse } from "yaml";
import { FOLDERS } from "./folders.mjs";

/** The share of the mutants reached by tests that must be noticed, in percent. */
const LEAST_SCORE = 80;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    mutate: { type: "string", multiple: true },
    concurrency: { type: "string", default: String(availableParallelism()) },
  },
});
const unknown = positionals.filter((name) => FOLDERS[name] === undefined);
if (unknown.length > 0)
  throw new Error(`no folder ${unknown.join(", ")}: there are ${Object.keys(FOLDERS).join(", ")}`);

const known = parse(readFileSync(new URL("survivors.yaml", import.meta.url), "utf8")) ?? {};
const knownOf = (file) => new Set((known[file] ?? []).flatMap(({ mutants }) => mutants));

const optionsOf = (mutate) => ({
  testRunner: "vitest",
  plugins: [new URL(import.meta.resolve("@stryker-mutator/vitest-runner")).pathname],
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  mutate,
  // Mutated texts of errors and log lines would make up most of the report. A wrong column name
  // fails every test of its statement anyway.
  mutator: { excludedMutations: ["StringLiteral"] },
  // Stryker needs a compiler with a programming interface to read TypeScript's settings, which
  // TypeScript 7 does not have.
  tsconfigFile: "none",
  disableTypeChecks: false,
  ignorePatterns: [
    "dist",
    "biome.json",
    ".oxlintrc.json",
    "bench",
    ".bench",
    ".sim",
    "docs",
    "data",
    "reports",
  ],
  concurrency: Number(values.concurrency),
  // A timeout counts as noticed. It must be long enough that only an endless loop exceeds it, not a
  // busy machine.
  timeoutMS: 20_000,
  timeoutFactor: 3,
  cleanTempDir: "always",
  fileLogLevel: "off",
  logLevel: "warn",
  reporters: ["clear-text", "progress-append-only"],
  clearTextReporter: {
    allowColor: false,
    allowEmojis: false,
    reportTests: false,
    reportMutants: false,
  },
});

const shorten = (text) => {
  const line = text.replace(/\s+/g, " ");
  return line.length <= 100 ? line : `${line.slice(0, 97)}...`;
};

/**
 * Returns the original code of a mutant, cut from its file. Line numbers move, texts stay the same.
 */
function originalOf({ fileName, location: { start, end } }) {
  const lines = readFileSync(fileName, "utf8")
    .split("\n")
    .slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join("\n");
}

function report(name, results, seconds) {
  const count = (...states) => results.filter(({ status }) => states.includes(status)).length;
  const killed = count("Killed", "Timeout");
  const survivors = results.filter(({ status }) => status === "Survived");
  const score = (100 * killed) / (killed + survivors.length);
  const unexplained = survivors
    .map((mutant) => ({
      file: relative(process.cwd(), mutant.fileName),
      line: mutant.location.start.line,
      text: `${shorten(originalOf(mutant))} => ${shorten(mutant.replacement ?? "")}`,
    }))
    .filter(({ file, text }) => !knownOf(file).has(text));
  for (const { file, line, text } of unexplained)
    console.log(`${file}:${line}\n      - ${JSON.stringify(text)}`);
  console.log(
    `${name}: ${score.toFixed(1)}% of ${killed + survivors.length} covered mutants killed, ${survivors.length} survive, ` +
      `${unexplained.length} of them without a reason in survivors.yaml; ${count("NoCoverage")} not covered; ${seconds} s`,
  );
  return score >= LEAST_SCORE && unexplained.length === 0;
}

/**
 * Returns the files to mutate: all files of an entry, or those that `--mutate` names.
 * `src/x.ts:10-20` names lines.
 */
const chosenOf = (mutate) =>
  values.mutate === undefined
    ? mutate
    : values.mutate.filter((one) => mutate.includes(one.replace(/:[-\d]+$/, "")));

for (const name of positionals.length > 0 ? positionals : Object.keys(FOLDERS)) {
  const begun = performance.now();
  const results = [];
  for (const { mutate, tests } of FOLDERS[name]) {
    const files = chosenOf(mutate);
    if (files.length === 0) continue;
    // vitest.config.ts reads this, in Stryker's own processes.
    process.env.MUTATION_TESTS = tests.join();
    results.push(...(await new Stryker(optionsOf(files)).runMutationTest()));
  }
  if (!report(name, results, Math.round((performance.now() - begun) / 1000))) process.exitCode = 1;
}

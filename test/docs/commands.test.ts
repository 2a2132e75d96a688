import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { findEndpoint } from "../../src/api/endpoints/index.ts";
import { listFiles } from "../architecture/source-tree.ts";
import { PAGES } from "./pages.ts";
import { commandsIn, readProgram, ROOT } from "./program.ts";

let program: Command;
beforeAll(async () => {
  program = await readProgram();
});

/** The lines of shell blocks and inline code that call chirpwatch, each with its place. */
const calls = PAGES.flatMap(({ path, blocks, inline }) => {
  const lines = blocks
    .filter(({ language }) => ["sh", "bash", "shell", "console", "text"].includes(language))
    .flatMap(({ text, line }) =>
      text.split("\n").map((one, index) => ({ text: one, line: line + 1 + index })),
    );
  return [...lines, ...inline].flatMap(({ text, line }) =>
    [
      ...text.matchAll(
        /(?:^\$? *|[|;&] *|npx |(?:exec|run)(?: --?\S+)* \S+ )(?:chirpwatch|node dist\/main\.js) ([^|;&#>\n]+)/g,
      ),
    ].map((found) => ({
      name: `${path}:${line}`,
      words: (found[1] ?? "").match(/"[^"]*"|'[^']*'|\S+/g) ?? [],
    })),
  );
});

/**
 * Returns the inputs that a command takes. For `call` these are the inputs of the given endpoint.
 */
function inputsOf(command: string, endpoint: string): readonly string[] {
  if (command !== "call") return [];
  return Object.keys(findEndpoint(endpoint)?.input.shape ?? {}).map((name) => `--${name}`);
}

/** Returns what is wrong with a call, or undefined. */
function wrongWith(words: readonly string[]): string | undefined {
  let command = program;
  let rest = [...words];
  for (;;) {
    const child = command.commands.find((one) => one.name() === rest[0]);
    if (child === undefined) break;
    command = child;
    rest = rest.slice(1);
  }
  if (command === program && !["--help", "--version", "-V"].includes(rest[0] ?? ""))
    return `there is no command ${rest[0] ?? ""}`;
  if (
    command.commands.length > 0 &&
    command !== program &&
    !["--help", undefined].includes(rest[0])
  )
    return `${command.name()} has no ${rest[0]}`;
  const known = [
    "--help",
    "-h",
    ...command.options.flatMap(({ short, long }) => [short, long]),
    ...inputsOf(command.name(), rest[0] ?? ""),
  ];
  const unknown = rest
    .filter((word) => /^--?[a-z]/i.test(word))
    .find((word) => !known.includes(word.replace(/=.*$/, "")));
  return unknown === undefined ? undefined : `${command.name()} has no option ${unknown}`;
}

describe("commands in the documentation", () => {
  it("exist, with their options", () => {
    const wrong = calls.flatMap(({ name, words }) => {
      const problem = wrongWith(words);
      return problem === undefined ? [] : [`${name}: ${problem}`];
    });
    expect(calls.length).toBeGreaterThan(20);
    expect(wrong).toEqual([]);
  });

  it("a wrong call would be seen", () => {
    expect(wrongWith(["walk"])).toBe("there is no command walk");
    expect(wrongWith(["run", "--fast"])).toBe("run has no option --fast");
    expect(wrongWith(["run", "-c", "watches.yaml"])).toBeUndefined();
  });

  it("npm scripts exist", () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    };
    const named = PAGES.flatMap(({ path, text }) =>
      [...text.matchAll(/npm (?:run )?([a-z:]+)/g)].map((found) => ({
        path,
        script: found[1] ?? "",
      })),
    );
    const ofNpm = [
      "ci",
      "install",
      "rebuild",
      "prune",
      "run",
      "login",
      "publish",
      "version",
      "audit",
    ];
    expect(
      named.filter(({ script }) => !ofNpm.includes(script) && scripts[script] === undefined),
    ).toEqual([]);
  });

  it("the README begins with what it is, how long the two commands take, and them alone", () => {
    const { text = "", blocks = [] } = PAGES[0] ?? {};
    expect(blocks[0]?.text).toBe("npm ci && npm run demo\nnpm ci && npm test\n");
    const [before = ""] = text.split("```");
    expect(before).toMatch(/^# chirpwatch\n\nchirpwatch is [^\n]+\n\n/);
    expect(before.trimEnd().split("\n").length).toBeLessThanOrEqual(10);
    for (const said of [/`npm ci` takes .+ Node 20/, /`npm run demo` takes/, /`npm test` takes/])
      expect(before).toMatch(said);
  });

  it("are named in the program's own hints only where they exist", () => {
    const src = join(ROOT, "src");
    const hints = listFiles(src, ".ts").flatMap((path) =>
      [
        ...readFileSync(join(src, path), "utf8").matchAll(
          /[`"]chirpwatch ([a-z]+(?: (?:--?[a-z]+|[a-z]+))?)/g,
        ),
      ].map((found) => ({
        name: path,
        words: (found[1] ?? "").split(" "),
      })),
    );
    const verbs = ["asks", "answers", "can", "cannot", "configuration", "is"];
    const wrong = hints.filter(
      ({ words }) => !verbs.includes(words[0] ?? "") && wrongWith(words) !== undefined,
    );
    expect(hints.length).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });

  it("are the commands that the program loads", () => {
    const text = readFileSync(join(ROOT, "src/cli/program.ts"), "utf8");
    const loaded = [...text.matchAll(/^ {2}"?([a-z-]+)"?: async \(\) => \(await import/gm)].map(
      (found) => found[1] ?? "",
    );
    const added = commandsIn(program).filter(({ name }) => !name.includes(" "));
    expect(loaded.toSorted()).toEqual(added.map(({ name }) => name).toSorted());
  });
});

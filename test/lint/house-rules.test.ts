import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const manifest = createRequire(import.meta.url).resolve("oxlint/package.json");
const { bin } = JSON.parse(readFileSync(manifest, "utf8")) as { bin: { oxlint: string } };
const oxlint = join(dirname(manifest), bin.oxlint);

interface Finding {
  readonly code: string;
  readonly filename: string;
}

/**
 * Writes each piece of code to a file, and lints all files in one run with the project's
 * configuration, without its type-aware part.
 */
function lintAll(
  folder: string,
  codes: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly string[]> {
  const config = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8")) as Record<
    string,
    unknown
  >;
  const plain = { ...config, options: {}, jsPlugins: [join(root, "test/lint/house-rules.mjs")] };
  writeFileSync(join(folder, ".oxlintrc.json"), JSON.stringify(plain));
  for (const [path, code] of codes) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const { stdout } = spawnSync(process.execPath, [oxlint, "-f", "json"], {
    cwd: folder,
    encoding: "utf8",
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: readonly Finding[] };
  const house = diagnostics.filter((one) => one.code.startsWith("house("));
  return new Map(
    [...codes.keys()].map((path) => [
      path,
      house.filter((one) => one.filename === path).map((one) => one.code.slice(6, -1)),
    ]),
  );
}

const REFUSED: readonly (readonly [rule: string, code: string])[] = [
  ["no-ambient-time", "export const now = () => Date.now();"],
  ["no-ambient-time", "export const now = () => globalThis.performance.now();"],
  ["no-ambient-time", "export const now = () => new Date();"],
  ["no-ambient-time", "export const now = () => Date();"],
  ["no-ambient-time", "setTimeout(() => {}, 5);"],
  ["no-ambient-time", "globalThis.setInterval(() => {}, 5);"],
  ["no-ambient-time", 'import { setTimeout as wait } from "node:timers/promises"; await wait(5);'],
  ["no-ambient-random", "export const dice = Math.random();"],
  ["no-ambient-random", 'export const dice = Math["random"]();'],
  [
    "no-ambient-random",
    'import { randomUUID } from "node:crypto"; export const id = randomUUID();',
  ],
  ["no-ambient-network", 'await fetch("http://127.0.0.1/");'],
  ["no-ambient-network", 'import { request } from "undici"; export const ask = request;'],
  ["no-ambient-network", 'export const http = await import("node:http");'],
  ["no-ambient-environment", "export const home = process.env.HOME;"],
  ["no-ambient-environment", "export const where = process.cwd();"],
  ["no-ambient-files", 'import { readFileSync } from "node:fs"; export const read = readFileSync;'],
  ["static-log-messages", "export const warn = (log, name) => log.warn(`sink ${name} fails`);"],
  ["static-log-messages", 'export const warn = (deps, name) => deps.log.error("sink " + name);'],
  ["glossary-words", "export const toldTwice = 1;"],
  ["glossary-words", "export const engineRig = 1;"],
  ["glossary-words", "export class Sink {\n  #isTold = 1;\n  is = () => this.#isTold;\n}"],
  ["glossary-words", "/** Everybody was told. */\nexport const alerted = 1;"],
  ["glossary-words", "export const alerted = 1; // looked at again"],
  ["glossary-words", 'export const text = "the keys in force";'],
  ["glossary-words", "export const text = (count) => `${count} holes`;"],
  ["doc-comment-opening", "/** Of the last attempt. */\nexport const error = '';"],
  ["doc-comment-opening", "/**\n * As it is stored.\n */\nexport const read = 1;"],
  [
    "own-names",
    "const WORDS: Readonly<Record<string, string>> = { a: 'b' };\nexport const say = (word: string) => WORDS[word] ?? '';",
  ],
  ["own-names", "export const team = (event, name) => event.labels[name];"],
  ["own-names", "export const home = (env: Environment, name: string) => env[name];"],
  ["no-deps-spread", "export const make = (deps, part) => part({ ...deps, more: 1 });"],
  ["no-deps-spread", "export const make = (gateDeps, part) => part({ more: 1, ...gateDeps });"],
  ["no-deps-spread", "export const make = (one, part) => part({ ...one.deps });"],
  [
    "no-deps-spread",
    "export class One {\n  #deps = {};\n  make = (part) => part({ ...this.#deps });\n}",
  ],
  ["no-deps-spread", "export const make = (sinkDeps, part) => part({ ...sinkDeps(1), more: 1 });"],
];

const ALLOWED: readonly (readonly [why: string, path: string, code: string])[] = [
  [
    "a time that is given",
    "src/engine/date.ts",
    "export const text = (ms) => new Date(ms).toISOString();",
  ],
  ["a parameter of the same name", "src/engine/own.ts", "export const ask = (fetch) => fetch(1);"],
  [
    "a method of the same name",
    "src/engine/method.ts",
    "export const ask = (http) => http.fetch(1);",
  ],
  [
    "a hash, which is no randomness",
    "src/engine/hash.ts",
    'import { createHash } from "node:crypto"; export const hash = createHash;',
  ],
  [
    "a type",
    "src/engine/type.ts",
    'import type { Stats } from "node:fs"; export const size = (stats: Stats) => stats.size;',
  ],
  [
    "runtime, which implements the ports",
    "src/runtime/clock.ts",
    "export const now = () => Date.now();",
  ],
  [
    "state, which opens files",
    "src/state/open.ts",
    'import { mkdirSync } from "node:fs"; export const make = mkdirSync;',
  ],
  [
    "server, which listens",
    "src/server/listen.ts",
    'import { createServer } from "node:http"; export const listen = createServer;',
  ],
  ["tests", "test/engine/any.test.ts", "export const now = Date.now();"],
  [
    "doc comments that are sentences",
    "src/deliver/sentences.ts",
    "/** Attempts under way. Of these, one is last. */\nexport const attempts = 1; // In order.",
  ],
  [
    "a fixed sentence with fields",
    "src/engine/log.ts",
    'export const warn = (log, sink) => log.warn("sink fails", { sink });',
  ],
  [
    "dependencies handed on whole",
    "src/deliver/whole.ts",
    "export const make = (deps, part) => part(deps);",
  ],
  [
    "a list of what is among them",
    "src/deliver/list.ts",
    "export const names = (deps) => [...deps.names];",
  ],
  [
    "app, which connects the parts",
    "src/app/parts.ts",
    "export const make = (deps, part) => part({ ...deps, more: 1 });",
  ],
  [
    "a lookup",
    "src/engine/lookup.ts",
    "export const looksLikeHtml = (text) => lookUp(text); // looks up the type\nconst lookUp = (text) => text;",
  ],
  [
    "a public name",
    "src/server/public.ts",
    'export const view = { stretch: 1, type: "upstream.dark" }; // JSON has `dearest`',
  ],
  [
    "a choice of two sentences",
    "src/engine/two.ts",
    'export const warn = (log, on) => log.info(on ? "paused" : "resumed");',
  ],
];

/** Paths whose names contain words that the glossary replaces. */
const WITH_REFUSED_WORDS = [
  "test/engine/words.test.ts",
  "test/support/words.ts",
  "test/e2e/words.ts",
  "bench/words.ts",
];

describe("own lint rules", () => {
  const folder = mkdtempSync(join(tmpdir(), "house-rules-"));
  let found: ReadonlyMap<string, readonly string[]> = new Map();
  beforeAll(() => {
    const refused = REFUSED.map(([, code], i) => [`src/deliver/refused-${i}.ts`, code] as const);
    const words = WITH_REFUSED_WORDS.map((path) => [path, "export const toldTwice = 1;"] as const);
    found = lintAll(
      folder,
      new Map([...refused, ...words, ...ALLOWED.map(([, path, code]) => [path, code] as const)]),
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(REFUSED.map(([rule, code], i) => ({ rule, code, i })))(
    "$rule refuses: $code",
    ({ rule, i }) => {
      expect(found.get(`src/deliver/refused-${i}.ts`)).toEqual([rule]);
    },
  );

  it.each(WITH_REFUSED_WORDS)("refuses words that the glossary replaces in %s", (path) => {
    expect(found.get(path)).toEqual(["glossary-words"]);
  });

  it.each(ALLOWED.map(([why, path]) => ({ why, path })))("allows $why", ({ path }) => {
    expect(found.get(path)).toEqual([]);
  });
});

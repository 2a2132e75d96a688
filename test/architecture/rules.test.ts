import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import {
  EMPTY_NAMES,
  PACKAGE_ROOMS,
  INDEX_FILES,
  LARGE_FOLDERS,
  MAX_FILES,
  MAX_LAYERS,
  RANKS,
  FUNCTION_EXCEPTIONS,
  SEAM_EXCEPTIONS,
  SUB_RANKS,
  TEST_FOLDERS,
} from "./ranks.ts";
import {
  findCycle,
  layersOf,
  hasLooseAny,
  listFiles,
  readTree,
  type SourceFile,
  specifiersOf,
} from "./source-tree.ts";

const root = resolve(import.meta.dirname, "../..");
const files = readTree(join(root, "src"));
const roomOf = (path: string) => path.split("/")[0] ?? path;
const rankOf = (path: string) => RANKS[roomOf(path)] ?? Number.NaN;

describe("rooms and ranks", () => {
  it("every folder of src is a room with a rank", () => {
    expect(files.map((file) => file.room).filter((room) => RANKS[room] === undefined)).toEqual([]);
  });

  it("imports point to a lower rank, never up and never to a peer", () => {
    const wrong = files.flatMap((file) =>
      file.imports
        .filter((target) => roomOf(target) !== file.room && !(rankOf(target) < rankOf(file.path)))
        .map(
          (target) =>
            `${file.path} (rank ${rankOf(file.path)}) imports ${target} (rank ${rankOf(target)})`,
        ),
    );
    expect(wrong).toEqual([]);
  });

  it.each(Object.entries(SUB_RANKS))(
    "within %s, imports point to a lower sub-folder, never up and never to a peer",
    (folder, ranks) => {
      const own = files.filter((file) => file.path.startsWith(`${folder}/`));
      const partOf = (path: string) => {
        const [name = "", ...rest] = path.slice(folder.length + 1).split("/");
        return rest.length === 0 ? "." : name;
      };
      const subRankOf = (path: string) => ranks.findIndex((peers) => peers.includes(partOf(path)));
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter((file) => subRankOf(file.path) === -1).map((file) => file.path)).toEqual(
        [],
      );
      const wrong = own.flatMap((file) =>
        file.imports
          .filter(
            (target) => target.startsWith(`${folder}/`) && partOf(target) !== partOf(file.path),
          )
          .filter((target) => subRankOf(target) >= subRankOf(file.path))
          .map((target) => `${file.path} imports ${target}`),
      );
      expect(wrong).toEqual([]);
    },
  );

  it("no folder holds too many files or layers, but for those with a reason", () => {
    const folders = new Map<string, SourceFile[]>();
    for (const file of files)
      folders.set(dirname(file.path), [...(folders.get(dirname(file.path)) ?? []), file]);
    const large = [...folders]
      .filter(([, own]) => own.length > MAX_FILES || layersOf(own) > MAX_LAYERS)
      .map(([folder]) => folder);
    expect(large.sort()).toEqual(Object.keys(LARGE_FOLDERS).sort());
  });

  it("imports name files that exist, with their ending", () => {
    const known = new Set(files.map((file) => file.path));
    expect(
      files.flatMap((file) =>
        file.imports
          .filter((target) => !known.has(target))
          .map((target) => `${file.path} -> ${target}`),
      ),
    ).toEqual([]);
  });

  it("no file imports itself by a detour", () => {
    expect(findCycle(files)).toBeUndefined();
  });

  it("the model imports nothing outside itself", () => {
    const outside = files
      .filter((file) => file.room === "model")
      .flatMap((file) => [
        ...file.packages,
        ...file.imports.filter((to) => roomOf(to) !== "model"),
      ]);
    expect(outside).toEqual([]);
  });

  it("only cli knows the sandbox", () => {
    const users = files.filter(
      (file) =>
        file.room !== "sandbox" && file.imports.some((target) => roomOf(target) === "sandbox"),
    );
    expect(users.filter((file) => file.room !== "cli").map((file) => file.path)).toEqual([]);
  });

  it("the process entry knows nothing but cli, the model, and what serves before they are loaded", () => {
    const main = files.find((file) => file.path === "main.ts");
    expect(main?.imports.filter((target) => !["cli", "model"].includes(roomOf(target)))).toEqual([
      "runtime/compile-cache.ts",
    ]);
    expect(main?.text.startsWith("#!/usr/bin/env node\n")).toBe(true);
  });
});

describe("seams", () => {
  it("a package is imported only where its job is", () => {
    const wrong = files.flatMap((file) =>
      file.packages
        .map((name) =>
          name
            .split("/")
            .slice(0, name.startsWith("@") ? 2 : 1)
            .join("/"),
        )
        .filter(
          (name) => PACKAGE_ROOMS[name]?.some((place) => file.path.startsWith(place)) === false,
        )
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(wrong).toEqual([]);
  });

  it("lint binds all of src, but for the exceptions that have a name", () => {
    const { overrides } = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8")) as {
      overrides: readonly { files: readonly string[]; rules: Record<string, unknown> }[];
    };
    for (const [rule, exceptions] of Object.entries(SEAM_EXCEPTIONS)) {
      const settings = overrides.filter((one) => one.rules[`house/${rule}`] !== undefined);
      const off = settings
        .filter((one) => one.rules[`house/${rule}`] === "off")
        .flatMap((one) => one.files);
      expect(settings[0], rule).toMatchObject({
        files: ["src/**/*.ts"],
        rules: { [`house/${rule}`]: "error" },
      });
      expect(off, rule).toEqual(exceptions);
      expect(settings.length, rule).toBe(
        settings.filter((one) => one.rules[`house/${rule}`] === "off").length + 1,
      );
    }
  });

  it("lint bounds the length and the parameters of all functions in src, but for the exceptions that have a reason", () => {
    const { rules, overrides } = JSON.parse(readFileSync(join(root, ".oxlintrc.json"), "utf8")) as {
      rules: Record<string, unknown>;
      overrides: readonly { files: readonly string[]; rules: Record<string, unknown> }[];
    };
    expect(rules["max-lines-per-function"]).toEqual([
      "error",
      { max: 80, skipComments: true, skipBlankLines: true },
    ]);
    const [ofAll, ...others] = overrides.filter((one) =>
      one.files.some((glob) => glob.startsWith("src/")),
    );
    expect(ofAll).toMatchObject({
      files: ["src/**/*.ts"],
      rules: { "max-params": ["error", 4], "house/no-deps-spread": "error" },
    });
    for (const [rule, exceptions] of Object.entries(FUNCTION_EXCEPTIONS)) {
      const excepted = others
        .filter((one) => one.rules[rule] !== undefined)
        .flatMap((one) => one.files);
      expect([...new Set(excepted)].sort(), rule).toEqual(Object.keys(exceptions).sort());
    }
  });

  it("no comment in src switches a seam rule or the bounds of functions off", () => {
    expect(
      files
        .filter((file) =>
          /(?:ox|es)lint-disable[^\n]*(?:house\/|max-(?:lines|params))/.test(file.text),
        )
        .map((file) => file.path),
    ).toEqual([]);
    expect(
      files
        .filter((file) =>
          /(?:ox|es)lint-disable(?:-next-line|-line)?\s*(?:\*\/|\n|$)/.test(file.text),
        )
        .map((file) => file.path),
    ).toEqual([]);
  });
});

describe("registries", () => {
  it.each([
    { room: "watches", type: "WatchType", list: "WATCH_TYPES" },
    { room: "sinks", type: "SinkType", list: "SINK_TYPES" },
  ])("$list names every $type that a file of $room exports", ({ room, type, list }) => {
    const declared = files
      .filter((file) => file.room === room && !file.path.endsWith("/registry.ts"))
      .flatMap((file) =>
        [
          ...file.text.matchAll(
            new RegExp(
              `^export const (\\w+)\\s*(?::\\s*${type}\\b|=[^;]*?\\bsatisfies ${type}\\b)`,
              "gm",
            ),
          ),
        ].map((m) => m[1]),
      );
    const registry = files.find((file) => file.path === `${room}/registry.ts`)?.text ?? "";
    const listed = (new RegExp(`${list}[^=]*=\\s*\\[([^\\]]*)\\]`).exec(registry)?.[1] ?? "")
      .split(",")
      .map((name) => name.trim());
    expect(declared.length).toBeGreaterThan(0);
    expect(new Set(listed.filter((name) => name !== ""))).toEqual(new Set(declared));
  });
});

describe("names and tests", () => {
  it("any stands only for the settings that a registry's row hides behind its schema", () => {
    expect(files.filter((file) => hasLooseAny(file.text)).map((file) => file.path)).toEqual([]);
  });

  it("no file has a name that says nothing", () => {
    const named = files
      .map((file) => file.path)
      .filter((path) => EMPTY_NAMES.test(path.split("/").at(-1) ?? ""));
    expect(named.filter((path) => !INDEX_FILES.includes(path))).toEqual([]);
  });

  it("every folder of test mirrors a room or is known by name", () => {
    const folders = readdirSync(join(root, "test"), { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    );
    expect(
      folders
        .map((entry) => entry.name)
        .filter((name) => RANKS[name] === undefined && !TEST_FOLDERS.includes(name)),
    ).toEqual([]);
  });

  it("no test is skipped, focused, left to do, or replaces a module", () => {
    const forbidden =
      /\b(?:it|test|describe|suite)\s*\.\s*(?:skip|only|todo|skipIf|runIf|fails)\b|\bvi\s*\.\s*(?:mock|doMock)\b/;
    const offenders = listFiles(join(root, "test"), ".test.ts").filter((path) =>
      forbidden.test(readFileSync(join(root, "test", path), "utf8")),
    );
    expect(offenders).toEqual([]);
  });

  it("what the package offers is built from files that exist", () => {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      bin: Record<string, string>;
      exports: Record<string, string | { default: string }>;
    };
    const offered = [
      ...Object.values(manifest.bin),
      ...Object.values(manifest.exports).map((entry) =>
        typeof entry === "string" ? entry : entry.default,
      ),
    ];
    const sources = offered.map((path) => path.replace(/^(\.\/)?dist\/(.*)\.js$/, "src/$2.ts"));
    expect(sources.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe("the checks themselves", () => {
  it("see every form of import, and no text that looks like one", () => {
    const text = [
      "#!/usr/bin/env node",
      'import "./a.ts";',
      'import type { B } from "./b.ts";',
      'import {\n  c,\n  type D,\n} from "./c.ts";',
      'export { e } from "./e.ts";',
      'export * from "./f.ts";',
      'const g = await import("./g.ts");',
      '/* import "./no.ts"; */',
      'const query = `\n from "./no.ts"`;',
      'export const h = "./no.ts";',
    ].join("\n");
    expect(specifiersOf(text)).toEqual([
      "./a.ts",
      "./b.ts",
      "./c.ts",
      "./e.ts",
      "./f.ts",
      "./g.ts",
    ]);
  });

  it("distinguish a loose any from a hidden settings type and from the word", () => {
    for (const code of [
      "let a: any;",
      "f(b as any)",
      "type C = Map<string, any>",
      "const d = (e: any[]) => e;",
    ])
      expect(hasLooseAny(code), code).toBe(true);
    for (const code of [
      "let a: WatchType<any>;",
      "// as any other",
      "/** of any kind */",
      'say("for any reason");',
    ])
      expect(hasLooseAny(code), code).toBe(false);
  });

  it("count the layers of a folder by its longest chain of imports", () => {
    const chain = [
      { path: "r/a", imports: ["r/b", "r/c", "other/x"] },
      { path: "r/b", imports: ["r/c"] },
      { path: "r/c", imports: [] },
    ];
    expect(layersOf(chain)).toBe(3);
    expect(layersOf(chain.slice(2))).toBe(1);
  });

  it("find a circle of any length, and none where paths only meet", () => {
    expect(
      findCycle([
        { path: "a", imports: ["b"] },
        { path: "b", imports: ["c"] },
        { path: "c", imports: ["a"] },
      ]),
    ).toEqual(["a", "b", "c", "a"]);
    expect(
      findCycle([
        { path: "a", imports: ["b", "c"] },
        { path: "b", imports: ["d"] },
        { path: "c", imports: ["d"] },
        { path: "d", imports: [] },
      ]),
    ).toBeUndefined();
  });
});

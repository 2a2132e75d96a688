/**
 * Tests that each name has one meaning. If two files export a type, a function or a value under one
 * name, one of the names must say what it belongs to.
 */
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { readTree } from "./source-tree.ts";

/** The sandbox plays the data service, so its names are compared among themselves. */
const WORLDS = { daemon: /^(?!sandbox\/)/, sandbox: /^sandbox\// };

/** Names that more than one file exports, and why. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  createClient: "the package's own adds an HTTP agent: the same client",
  up: "the entry point of every migration",
  Poll: "polling/ fills in the watch types that plan/ leaves open: the same poll",
  Subscriber: "polling/ fills in the watch types that plan/ leaves open: the same subscriber",
};

const DECLARED =
  /^export (?:declare )?(?:abstract |async )?(?:interface|type|class|enum|function\*?|const|let) (\w+)/gm;

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every name that several of these files export, with the files. */
function sharedNames(files: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const [, name = ""] of text.matchAll(DECLARED))
      places.set(name, [...(places.get(name) ?? []), path]);
  return new Map([...places].filter(([, paths]) => paths.length > 1));
}

const files = readTree(resolve(join(import.meta.dirname, "../../src")));

it.each(Object.entries(WORLDS))(
  "no two files of the %s export anything under one name, but for those with a reason",
  (_world, places) => {
    const shared = [...sharedNames(files.filter(({ path }) => places.test(path)))].filter(
      ([name]) => SHARED_NAMES[name] === undefined,
    );
    expect(
      shared.map(
        ([name, paths]) => `${name}: ${paths.join(", ")}: say in one of them what it is of`,
      ),
    ).toEqual([]);
  },
);

it("every reason is needed", () => {
  const shared = sharedNames(files);
  expect(Object.keys(SHARED_NAMES).filter((name) => !shared.has(name))).toEqual([]);
});

it("sees types, classes, enums, functions and values, and no re-export", () => {
  const found = sharedNames([
    {
      path: "a.ts",
      text: "export interface A {}\nexport type B = 1;\nexport class C {}\nexport const d = 1;\nexport const e = 1;\n",
    },
    {
      path: "b.ts",
      text: "export type A = 2;\nexport { type B } from './a.ts';\nexport abstract class C {}\nconst e = 2;\n",
    },
    { path: "c.ts", text: "export async function d() {}\nexport * from './a.ts';\n" },
  ]);
  expect(Object.fromEntries(found)).toEqual({
    A: ["a.ts", "b.ts"],
    C: ["a.ts", "b.ts"],
    d: ["a.ts", "c.ts"],
  });
});

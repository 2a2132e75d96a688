/** One meaning per name: a type that two files export under one name has to say in one of them what it is of. */
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { readTree } from "./source-tree.ts";

/** The sandbox is the other side of the wire: its names are compared among themselves. */
const WORLDS = { daemon: /^(?!sandbox\/)/, sandbox: /^sandbox\// };

/** Names of types that more than one file exports, and why. */
const SHARED_NAMES: Readonly<Record<string, string>> = {
  Poll: "polling/ fills in the watch types that plan/ leaves open: the same poll",
  Subscriber: "polling/ fills in the watch types that plan/ leaves open: the same subscriber",
};

const DECLARED = /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every name of a type that several of these files export, with the files. */
function sharedTypes(files: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, string[]>();
  for (const { path, text } of files)
    for (const [, name = ""] of text.matchAll(DECLARED)) places.set(name, [...(places.get(name) ?? []), path]);
  return new Map([...places].filter(([, paths]) => paths.length > 1));
}

const files = readTree(resolve(join(import.meta.dirname, "../../src")));

it.each(Object.entries(WORLDS))("no two files of the %s export a type under one name, but for those with a reason", (_world, places) => {
  const shared = [...sharedTypes(files.filter(({ path }) => places.test(path)))].filter(([name]) => SHARED_NAMES[name] === undefined);
  expect(shared.map(([name, paths]) => `${name}: ${paths.join(", ")}: say in one of them what it is of`)).toEqual([]);
});

it("every reason is needed", () => {
  const shared = sharedTypes(files);
  expect(Object.keys(SHARED_NAMES).filter((name) => !shared.has(name))).toEqual([]);
});

it("sees interfaces, types, classes and enums, and no re-export", () => {
  const found = sharedTypes([
    { path: "a.ts", text: "export interface A {}\nexport type B = 1;\nexport class C {}\n" },
    { path: "b.ts", text: "export type A = 2;\nexport { type B } from './a.ts';\nexport abstract class C {}\n" },
  ]);
  expect(Object.fromEntries(found)).toEqual({ A: ["a.ts", "b.ts"], C: ["a.ts", "b.ts"] });
});

/**
 * Leaves in the node_modules beside package.json, for an image, what the built program loads from
 * there: the packages that are not bundled, with what they depend on, and of these no types, no
 * source maps and no pages. dist/ loses its types too: nothing compiles against an image.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { NOT_BUNDLED } from "./not-bundled.mjs";

const root = process.cwd();
const UNREAD_FILE = /(\.d\.[cm]?ts|\.map|\.md)$/;
/** They go wherever the code goes, whatever their names end in. */
const LEGAL_FILE = /(^|\/)(licen[cs]e|notice|copying)[^/]*$/i;

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
const isPackage = (folder) => existsSync(join(folder, "package.json"));

/** As Node finds it: in the nearest node_modules, from the package upwards. */
function findPackage(name, from) {
  const folder = join(from, "node_modules", name);
  if (isPackage(folder)) return folder;
  return from === root ? undefined : findPackage(name, dirname(from));
}

/** An optional one may be missing; whatever else is missing shows when the image runs its demo. */
function addNeeded(names, from, needed) {
  for (const name of names) {
    const folder = findPackage(name, from);
    if (folder === undefined || needed.has(folder) || name.startsWith("@types/")) continue;
    needed.add(folder);
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(folder);
    const own = { ...peerDependencies, ...dependencies, ...optionalDependencies };
    addNeeded(Object.keys(own), folder, needed);
  }
  return needed;
}

/** Folders of the packages in a node_modules, those with a scope included. */
const packagesIn = (modules) =>
  readdirSync(modules).flatMap((name) =>
    name.startsWith("@") ? packagesIn(join(modules, name)) : [join(modules, name)],
  );

function removeUnneeded(modules, needed) {
  for (const folder of packagesIn(modules)) {
    if (!needed.has(folder)) rmSync(folder, { recursive: true });
    else if (existsSync(join(folder, "node_modules")))
      removeUnneeded(join(folder, "node_modules"), needed);
  }
}

function removeUnread(folder) {
  for (const path of readdirSync(folder, { recursive: true }))
    if (UNREAD_FILE.test(path) && !LEGAL_FILE.test(path)) rmSync(join(folder, path));
}

removeUnneeded(join(root, "node_modules"), addNeeded(NOT_BUNDLED, root, new Set()));
removeUnread(join(root, "node_modules"));
removeUnread(join(root, "dist"));

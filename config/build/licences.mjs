/**
 * The licence texts of the packages whose code lies in dist/: most licences ask that their text
 * goes wherever the code goes.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Folder of the package that a module belongs to; undefined for our own sources and for what the
 * bundler adds itself.
 */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
const LEGAL_FILE = /^(licen[cs]e|notice|copying)/i;

/**
 * Packages whose archives hold no text and whose manifests say MIT. They get the terms of our own
 * licence, which is the same one.
 */
const MIT_WITHOUT_TEXT = new Map([
  ["@hono/standard-validator", "Copyright (c) the authors of the Hono middleware packages"],
  ["@standard-community/standard-json", "Copyright (c) the authors of standard-json"],
  ["@standard-community/standard-openapi", "Copyright (c) the authors of standard-openapi"],
]);

function mitTerms(name, license) {
  const holder = license === "MIT" ? MIT_WITHOUT_TEXT.get(name) : undefined;
  if (holder === undefined) return [];
  const own = readFileSync(join(import.meta.dirname, "..", "..", "LICENSE"), "utf8");
  return [own.replace(/^Copyright .*$/m, holder).trim()];
}

/**
 * One section a package, by name. @throws Error for a package without a licence text: what it
 * allows must be found out first
 */
export function licenceTexts(moduleIds) {
  const folders = new Set(
    moduleIds.map((id) => PACKAGE_FOLDER.exec(id)?.[0]).filter((folder) => folder !== undefined),
  );
  return `${["The code of these packages is part of the files in this folder.", ...[...folders].map(section).sort()].join(`\n\n${"-".repeat(80)}\n`)}\n`;
}

function section(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const files = readdirSync(folder).filter(
    (file) => LEGAL_FILE.test(file) && !file.endsWith(".js"),
  );
  const terms = files.length === 0 ? mitTerms(name, license) : [];
  if (files.length === 0 && terms.length === 0)
    throw new Error(
      `the bundled package ${name} ${version} (${license}) has no licence text in ${dirname(folder)}`,
    );
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  return [`${name} ${version} (${license})`, ...texts, ...terms].join("\n\n");
}

/**
 * Tests that nothing people read or install names a package, an image or an address that does not
 * exist yet. docs/releasing.md says where to add them later.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PAGES } from "./pages.ts";
import { ROOT } from "./program.ts";

const FROM_A_REGISTRY =
  /\bnpm (?:i|install)(?: -g| --global)? chirpwatch\b|\bnpx chirpwatch\b|\b(?:docker|ghcr|quay)\.io\/[\w/-]*chirpwatch|github\.com\/[\w-]+\/chirpwatch|npmjs\.com\/package\/chirpwatch/;
const FILES = [
  "compose.yaml",
  "compose.ha.yaml",
  "Dockerfile",
  "docker-bake.hcl",
  "src/cli/start/init-docker.ts",
];

it("recognises what only a registry or a public repository could have", () => {
  for (const text of [
    "npm install --global chirpwatch",
    "npx chirpwatch demo",
    "image: ghcr.io/acme/chirpwatch:1",
    "https://github.com/acme/chirpwatch",
  ])
    expect(text).toMatch(FROM_A_REGISTRY);
  for (const text of [
    "npm install --global ./chirpwatch-0.1.0.tgz",
    "image: chirpwatch",
    "npx --no-install chirpwatch",
  ])
    expect(text).not.toMatch(FROM_A_REGISTRY);
});

it("is named by no page and no manifest", () => {
  const config = readdirSync(join(ROOT, "config")).filter((name) =>
    /\.(ya?ml|service|json)$/.test(name),
  );
  const read = (path: string) => ({ path, text: readFileSync(join(ROOT, path), "utf8") });
  const all = [...PAGES, ...[...FILES, ...config.map((name) => `config/${name}`)].map(read)];
  expect(all.length).toBeGreaterThan(30);
  expect(all.filter(({ text }) => FROM_A_REGISTRY.test(text)).map(({ path }) => path)).toEqual([]);
});

/**
 * Tests a configuration that another user owns: which command refuses, and what helps. Root may
 * read everything, so a test that runs as root changes to another user.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { BIN, cleanUp, makeFolder } from "../support/bin-process.ts";
import { runScript } from "../support/child-process.ts";

afterEach(cleanUp);

const UID = process.getuid?.() ?? 0;
const IS_ROOT = UID === 0;
const AS_NOBODY = IS_ROOT ? "process.setgid(65534); process.setuid(65534);" : "";

const validate = (path: string, cwd: string) =>
  runScript(
    [
      "-e",
      `${AS_NOBODY} process.argv.splice(1, 0, ${JSON.stringify(BIN)}); import(${JSON.stringify(BIN)})`,
      "validate",
      "-c",
      path,
    ],
    { cwd },
  );

it.each([
  ["file", "watches.yaml", "watches.yaml"],
  ["file in a folder that is closed", "conf/watches.yaml", "conf"],
  ["folder that is closed", "conf", "conf"],
])("a %s is refused with uid, owner and cure", async (_, asked, closed) => {
  const folder = makeFolder({}, "/tmp");
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, "conf"));
  for (const path of ["watches.yaml", "conf/watches.yaml"])
    writeFileSync(join(folder, path), "version: 1\n");
  const at = join(folder, closed);
  chmodSync(at, 0);
  const { code, err } = await validate(join(folder, asked), dirname(folder));
  chmodSync(at, 0o700);
  expect(code).toBe(78);
  const sentence = IS_ROOT
    ? `this process has uid 65534, and ${at} belongs to uid 0 (mode 0000): run \`chown -R 65534 ${at}\`, or start it as that user (\`--user 0:0\` in Docker)`
    : `${at} belongs to this process's uid ${UID}, with mode 0000: run \`chmod u+rX ${at}\``;
  expect(err).toContain(sentence);
});

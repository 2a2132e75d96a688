import { mkdtemp, mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDotEnv, withDotEnv } from "../../src/runtime/environment.ts";
import { createFiles } from "../../src/runtime/files.ts";

let folder: string;
const files = createFiles();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "chirpwatch-"));
});
afterEach(() => rm(folder, { recursive: true }));

describe("a .env file", () => {
  it("is read line by line, with quotes, comments and export", () => {
    const text = [
      "# a comment",
      "PLAIN=value",
      "  SPACED = two words  # and why",
      "EMPTY=",
      "export EXPORTED=yes",
      "HASH=a#b",
      "ONLY_COMMENT=# nothing",
      "SINGLE='as $is \\n'  # comment",
      'DOUBLE="line\\nnext \\"quoted\\" # kept"',
      'MULTI="first',
      'second"',
      "DOLLAR=$PLAIN ${PLAIN}",
      "not a line",
      "EQUALS=a=b==",
      "TOKEN='xoxb-1'",
    ].join("\r\n");
    expect(parseDotEnv(text)).toEqual({
      PLAIN: "value",
      SPACED: "two words",
      EMPTY: "",
      EXPORTED: "yes",
      HASH: "a#b",
      ONLY_COMMENT: "",
      SINGLE: "as $is \\n",
      DOUBLE: 'line\nnext "quoted" # kept',
      MULTI: "first\nsecond",
      DOLLAR: "$PLAIN ${PLAIN}",
      EQUALS: "a=b==",
      TOKEN: "xoxb-1",
    });
  });

  it("beside the configuration adds names; what is set for real wins, an empty value, too", async () => {
    await writeFile(join(folder, ".env"), "A=file\nB=file\nC=file\n");
    const config = join(folder, "watches.yaml");
    await writeFile(config, "");
    expect(await withDotEnv({ A: "real", B: "" }, files, config)).toEqual({
      A: "real",
      B: "",
      C: "file",
    });
    expect(await withDotEnv({}, files, folder)).toEqual({ A: "file", B: "file", C: "file" });
  });

  it("that is not there changes nothing", async () => {
    expect(await withDotEnv({ A: "1" }, files, join(folder, "watches.yaml"))).toEqual({ A: "1" });
    await mkdir(join(folder, ".env"));
    expect(await withDotEnv({ A: "1" }, files, join(folder, "watches.yaml"))).toEqual({ A: "1" });
  });
});

describe("files", () => {
  it("are read as text without a byte order mark, and fail with Node's code", async () => {
    const path = join(folder, "a.txt");
    await writeFile(path, "\uFEFFgrün");
    expect(await files.readText(path)).toBe("grün");
    expect(await files.size(path)).toBe(8);
    await expect(files.readText(join(folder, "b.txt"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("are listed in order, and distinguished from folders", async () => {
    for (const name of ["b", "a", "c"]) await writeFile(join(folder, name), "");
    expect(await files.list(folder)).toEqual(["a", "b", "c"]);
    expect([
      await files.isDirectory(folder),
      await files.isDirectory(join(folder, "a")),
      await files.isDirectory(join(folder, "x")),
    ]).toEqual([true, false, false]);
    expect([await files.exists(join(folder, "a")), await files.exists(join(folder, "x"))]).toEqual([
      true,
      false,
    ]);
  });
});

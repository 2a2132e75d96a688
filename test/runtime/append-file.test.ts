import { mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createOutputs } from "../../src/runtime/outputs.ts";

let folder: string;
beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), "chirpwatch-append-"))));
afterEach(() => rm(folder, { recursive: true }));

const read = (name: string) => readFile(join(folder, name), "utf8");
const append = (text: string, { maxBytes = 1_000, keep = 2, name = "a.ndjson" } = {}) =>
  createOutputs().append({ path: join(folder, name), text, maxBytes, keep });

it("creates the file and its folder, for this user only", async () => {
  await append("one\n", { name: "deep/er/a.ndjson" });
  expect(await read("deep/er/a.ndjson")).toBe("one\n");
  expect((await stat(join(folder, "deep/er/a.ndjson"))).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "deep/er"))).mode & 0o777).toBe(0o700);
});

it("rotates before the file would pass its size, and keeps so many", async () => {
  for (const text of ["1111\n", "2222\n", "3333\n", "4444\n", "5555\n", "6666\n", "7777\n"])
    await append(text, { maxBytes: 10 });
  expect((await readdir(folder)).sort()).toEqual(["a.ndjson", "a.ndjson.1", "a.ndjson.2"]);
  expect(await Promise.all(["a.ndjson", "a.ndjson.1", "a.ndjson.2"].map(read))).toEqual([
    "7777\n",
    "5555\n6666\n",
    "3333\n4444\n",
  ]);
});

it("counts the bytes of a text and not its characters", async () => {
  for (const text of ["äöü\n", "😀é\n", "one\n"]) await append(text, { maxBytes: 13 });
  expect(await Promise.all(["a.ndjson", "a.ndjson.1"].map(read))).toEqual(["😀é\none\n", "äöü\n"]);
});

it("starts over where none is kept", async () => {
  for (const text of ["1111\n", "2222\n", "3333\n"]) await append(text, { maxBytes: 10, keep: 0 });
  expect(await readdir(folder)).toEqual(["a.ndjson"]);
  expect(await read("a.ndjson")).toBe("3333\n");
});

it("takes a text that is larger than a whole file", async () => {
  await append("1\n", { maxBytes: 10 });
  await append("a line of its own\n", { maxBytes: 10 });
  expect(await read("a.ndjson")).toBe("a line of its own\n");
});

it("ends a line that a crash left unfinished, so that it spoils no other", async () => {
  await writeFile(join(folder, "a.ndjson"), '{"a":1}\n{"b":');
  await append('{"b":2}\n');
  expect(await read("a.ndjson")).toBe('{"a":1}\n{"b":\n{"b":2}\n');
});

it("writes one after the other, in the order of the calls", async () => {
  const outputs = createOutputs();
  const lines = Array.from({ length: 40 }, (_, n) => `${n}\n`);
  await Promise.all(
    lines.map((text) =>
      outputs.append({ path: join(folder, "a.ndjson"), text, maxBytes: 20, keep: 100 }),
    ),
  );
  const names = (await readdir(folder)).sort(
    (a, b) => Number(b.split(".")[2] ?? 0) - Number(a.split(".")[2] ?? 0),
  );
  expect((await Promise.all(names.map(read))).join("")).toBe(lines.join(""));
});

it("says why a place cannot be written to", async () => {
  await expect(append("1\n", { name: "." })).rejects.toMatchObject({ code: "ENOTFILE" });
  await writeFile(join(folder, "file"), "");
  await expect(append("1\n", { name: "file/a.ndjson" })).rejects.toMatchObject({
    code: expect.stringMatching(/ENOTDIR|EEXIST/),
  });
});

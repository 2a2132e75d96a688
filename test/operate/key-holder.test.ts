import { expect, it } from "vitest";
import { createKeyHolder } from "../../src/operate/key-holder.ts";
import type { ApiConfig } from "../../src/config/config.ts";
import type { Files } from "../../src/model/files.ts";
import { sha256 } from "../../src/runtime/hash.ts";

it("reads the file of the key that was refused, and leaves the other keys as they are", async () => {
  const disk: Record<string, string> = { "/one": "first", "/two": "second" };
  const files = {
    readText: async (path: string) => disk[path],
    size: async () => 10,
  } as unknown as Files;
  const keys = [
    { name: "one", key: "first", keyFile: "/one", monthly: 1 },
    { name: "two", key: "second", keyFile: "/two", monthly: 2 },
  ];
  const secrets: string[] = [];
  const holder = createKeyHolder({ keys } as unknown as ApiConfig, {
    files,
    hash: sha256,
    addSecret: (text) => void secrets.push(text),
  });
  for (const round of [1, 2]) {
    disk["/two"] = `new second ${round}`;
    expect(await holder.renew("one")).toBe(false);
    expect(await holder.renew("two")).toBe(true);
    expect(await holder.renew("two")).toBe(false);
    expect(["one", "two"].map((name) => holder.key(name))).toEqual([
      "first",
      `new second ${round}`,
    ]);
    expect(holder.held.map(({ name, monthly }) => [name, monthly])).toEqual([
      ["one", 1],
      ["two", 2],
    ]);
  }
  expect(secrets).toEqual(["first", "second", "new second 1", "new second 2"]);
});

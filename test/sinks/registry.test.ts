import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { SINK_TYPES } from "../../src/sinks/registry.ts";
import { exampleValue } from "../support/example-values.ts";

const FOLDER = new URL("../../src/sinks/", import.meta.url);

const isSinkType = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "schema" in value &&
  "create" in value &&
  "destinations" in value;

/** Fills in variables as an environment would. */
const withVariables = (text: string): string =>
  text.replace(/\$\{(\w+)\}/g, (_, name: string) => exampleValue(name));

describe("the registry of sinks", () => {
  it("names every sink type that a file of the folder exports, once", async () => {
    const files = (await readdir(FOLDER, { recursive: true })).filter((name) =>
      name.endsWith(".ts"),
    );
    const modules: Record<string, unknown>[] = await Promise.all(
      files.map((name) => import(new URL(name, FOLDER).href)),
    );
    const exported = modules.flatMap((module) => Object.values(module).filter(isSinkType));
    expect(new Set(SINK_TYPES)).toEqual(new Set(exported));
    expect(SINK_TYPES.length).toBe(exported.length);
    expect(new Set(SINK_TYPES.map((type) => type.type)).size).toBe(SINK_TYPES.length);
  });

  it("knows of every type whether it sends events as data or lists for people", async () => {
    for (const type of SINK_TYPES) {
      const { type: _name, ...settings } = parse(withVariables(type.example));
      const sink = await type.create("one", type.schema.parse(settings), {
        http: {},
        clock: {},
        outputs: {},
        log: {},
        write: () => {},
        linksHost: "https://x.com",
      } as never);
      expect([type.type, sink.lists === undefined]).toEqual([
        type.type,
        type.sendsEvents !== undefined,
      ]);
    }
  });

  it.each(SINK_TYPES.map((type) => [type.type, type] as const))(
    "%s has an example that its schema takes, and describes every key",
    (_, type) => {
      const { type: name, ...settings } = parse(withVariables(type.example));
      expect(name).toBe(type.type);
      expect(type.schema.safeParse(settings).error?.issues ?? []).toEqual([]);
      for (const [key, field] of Object.entries(type.schema.shape))
        expect((field as { description?: string }).description, key).toBeTruthy();
      for (const secret of type.secrets) expect(Object.keys(type.schema.shape)).toContain(secret);
    },
  );
});

import { describe, expect, it } from "vitest";
import { buildJsonSchema } from "../../../src/config/load/json-schema.ts";
import { SINK_TYPES } from "../../../src/sinks/registry.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";

interface Json {
  readonly oneOf?: readonly Json[];
  readonly properties?: Readonly<Record<string, Json>>;
  readonly additionalProperties?: Json;
  readonly description?: string;
  readonly items?: Json;
  readonly $defs?: Readonly<Record<string, Json>>;
}

const built = buildJsonSchema(WATCH_TYPES, SINK_TYPES) as Json;
const typesIn = (section: string) => built.properties?.[section]?.additionalProperties?.oneOf ?? [];

describe("the JSON Schema", () => {
  it("is committed as it is built now", async () => {
    // Run `npx vitest run test/config -u` after a change of a schema.
    const lines = JSON.stringify(built, null, 1).replaceAll(/^ +/gm, "");
    await expect(`${lines}\n`).toMatchFileSnapshot("../../../config/watches.schema.json");
  });

  it("describes every key of every watch and sink type", () => {
    const types = [...typesIn("watches"), ...typesIn("sinks")];
    expect(types).toHaveLength(WATCH_TYPES.length + SINK_TYPES.length);
    const bare = types.flatMap((type) =>
      Object.entries(type.properties ?? {}).filter(([, value]) => value.description === undefined),
    );
    expect(bare.map(([key]) => key)).toEqual([]);
  });

  it("offers every secret as a file, and accounts as one", () => {
    const text = JSON.stringify(built);
    for (const key of ["key_file", "token_file", "secret_file", "webhook_url_file"])
      expect(text).toContain(`"${key}"`);
    expect(text).toContain('"required":["file"]');
  });

  it("points routes at themselves", () => {
    expect(built.$defs?.["route"]?.properties?.["routes"]).toMatchObject({
      items: { $ref: "#/$defs/route" },
    });
  });
});

/**
 * Tests samples of events: one of each watch type reads like an event and has the fields of its
 * type.
 */
import { expect, it } from "vitest";
import { createReader } from "../../../src/operate/create-reader.ts";
import { sampleOfWatch } from "../../../src/operate/views/sample-event.ts";
import { WATCH_TYPES } from "../../../src/watches/registry.ts";
import { EVENT_TIME_MS } from "../../support/make-event.ts";
import { goodConfig } from "../../config/load-text.ts";

it.each(WATCH_TYPES.map((type) => [type.type, type] as const))("%s", async (_name, type) => {
  const indented = type.example.trim().replace(/^/gm, "    ");
  const text = `watches:\n  w:\n${indented}\n    sink: s\nsinks: { s: { type: console } }\nops: { sink: s }\n`;
  const [watch] = (await goodConfig(text)).watches;
  if (watch === undefined) throw new Error("no watch");
  const event = sampleOfWatch(watch, EVENT_TIME_MS);
  expect(type.events).toContain(event.type);
  expect(Object.keys(event.body).sort()).toEqual(Object.keys(type.body).sort());
  const message = createReader("https://x.com")({ event, watches: ["w"] });
  expect(message.title).not.toBe("");
  expect(JSON.stringify(message)).not.toMatch(/undefined|NaN|\[object/);
});

/**
 * Tests which address a message gives for alerts that it only counts, and where people act on
 * alerts.
 */
import { expect, it } from "vitest";
import type { ChirpEvent } from "../../../src/model/event.ts";
import { createActAt, listedAt } from "../../../src/operate/alerts/listed-at.ts";
import { readEventQuery } from "../../../src/server/contract/event-query.ts";
import { goodConfig } from "../../config/load-text.ts";
import { EVENT_TIME_MS, makeEvent } from "../../support/make-event.ts";

const QUERY =
  "state=summarised&since=2026-01-15T12%3A00%3A00Z&until=2026-01-15T12%3A00%3A01Z&limit=1";

it.each([
  ["https://ops.example.com", "https://ops.example.com/events"],
  ["https://ops.example.com/", "https://ops.example.com/events"],
  ["https://ops.example.com/chirp", "https://ops.example.com/chirp/events"],
  ["https://ops.example.com/chirp/", "https://ops.example.com/chirp/events"],
  ["http://10.0.0.3:8080/a/b/", "http://10.0.0.3:8080/a/b/events"],
])("names the page below the path of %s", async (written, page) => {
  const { server } = await goodConfig(
    JSON.stringify({
      version: 1,
      api: { base_url: "https://data.example.com", key: "k" },
      server: { public_url: written },
      watches: { w: { type: "search", query: "acme" } },
      sinks: { c: { type: "console" } },
    }),
  );
  expect(
    listedAt(server.publicUrl, [
      { event: { ...makeEvent("1"), detectedAtMs: EVENT_TIME_MS }, watches: ["w"] },
    ]),
  ).toBe(`${page}?${QUERY}`);
});

const server = { host: "h", port: 1, publicUrl: "https://ops.example.com/chirp" };
const of = (...events: readonly ChirpEvent[]) =>
  createActAt(
    { server },
    { name: "mail", actionsLink: true },
  )?.(events.map((event) => ({ event, watches: [event.watch] })));
const at = (id: string, detectedAtMs: number) => ({ ...makeEvent(id), detectedAtMs });
const own = (type: string) => makeEvent("x", { type, watchType: "daemon", watch: "" });

it("the page to act is that of a single alert, also of one that was escalated", () => {
  expect(of({ ...makeEvent("1"), id: "3f1c" })).toBe("https://ops.example.com/chirp/alerts/3f1c");
  expect(of({ ...own("alert.escalated"), id: "e/1" })).toBe(
    "https://ops.example.com/chirp/alerts/e%2F1",
  );
});

it("the page to act is a search that finds exactly the alerts of a message with several", () => {
  const last = EVENT_TIME_MS + 61_400;
  const url = new URL(of(at("1", EVENT_TIME_MS + 300), at("2", last)) ?? "");
  expect(url.pathname).toBe("/chirp/events");
  const query = readEventQuery(Object.fromEntries(url.searchParams), last);
  expect(query).toEqual({
    ...{ sinceMs: EVENT_TIME_MS, untilMs: EVENT_TIME_MS + 62_000, sink: "mail", limit: 2 },
    watches: undefined,
  });
});

it("there is no page to act for what people cannot act on, nor without the setting or the address", () => {
  expect(of(own("sink.failing"))).toBeUndefined();
  expect(of(own("alert.acknowledged"))).toBeUndefined();
  expect(of()).toBeUndefined();
  expect(createActAt({ server }, { name: "mail" })).toBeUndefined();
  const bare = { server: { host: "h", port: 1 } };
  expect(createActAt(bare, { name: "mail", actionsLink: true })).toBeUndefined();
});

it("the search asks for no more alerts than the search can answer with", () => {
  const many = Array.from({ length: 1_200 }, (_, index) => at(String(index), EVENT_TIME_MS));
  expect(of(...many)).toContain("limit=1000");
});

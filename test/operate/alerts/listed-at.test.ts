/** Where a message says that the alerts are which it only counts. */
import { expect, it } from "vitest";
import { listedAt } from "../../../src/operate/alerts/listed-at.ts";
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

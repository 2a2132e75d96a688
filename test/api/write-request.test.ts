import { expect, it } from "vitest";
import { z } from "zod";
import type { BaseUrl } from "../../src/api/base-url.ts";
import type { Endpoint } from "../../src/api/endpoint.ts";
import { writeRequest } from "../../src/api/write-request.ts";

const base: BaseUrl = { url: "https://h/v3", v2Url: "https://h/v2", reach: "any" };
const row: Endpoint = {
  method: "POST",
  path: "/x",
  doc: "A row.",
  input: z.strictObject({}),
  output: z.unknown(),
  answer: { kind: "record", read: (raw) => raw },
  cursor: { param: "next_cursor", isNumber: true },
  billed: true,
};

it("sends an int64 cursor unquoted in a JSON body, all digits there", () => {
  const { body } = writeRequest({ base, key: "k" }, row, { user_id: "1" }, "1867041249938530657");
  expect(body).toBe('{"user_id":"1","next_cursor":1867041249938530657}');
  expect(writeRequest({ base, key: "k" }, row, {}, "-9").body).toBe('{"next_cursor":-9}');
});

it("sends a cursor that is no number as text: it is the service's own", () => {
  expect(writeRequest({ base, key: "k" }, row, {}, '1,"admin":true').body).toBe(
    '{"next_cursor":"1,\\"admin\\":true"}',
  );
});

it("lets no path input leave its segment", () => {
  const request = writeRequest(
    { base, key: "k" },
    { ...row, method: "GET", path: "/y/{handle}" },
    { handle: "../a?b#c" },
    undefined,
  );
  expect(request.url).toBe("https://h/v3/y/..%2Fa%3Fb%23c");
});

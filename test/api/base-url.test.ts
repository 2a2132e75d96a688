import { expect, it } from "vitest";
import { checkBaseUrl } from "../../src/api/base-url.ts";

it.each([
  ["https://api.example.com", "https://api.example.com/v3", "any"],
  ["https://api.example.com/", "https://api.example.com/v3", "any"],
  ["https://api.example.com/v3", "https://api.example.com/v3", "any"],
  ["https://api.example.com/v3/", "https://api.example.com/v3", "any"],
  [" https://API.example.com:8443/data ", "https://api.example.com:8443/data/v3", "any"],
  ["http://127.0.0.1:8787", "http://127.0.0.1:8787/v3", "loopback"],
  ["http://127.8.9.1:1/", "http://127.8.9.1:1/v3", "loopback"],
  ["http://localhost:8787", "http://localhost:8787/v3", "loopback"],
  ["http://[::1]:8787/v3", "http://[::1]:8787/v3", "loopback"],
])("%j is read as %s", (text, url, reach) => {
  expect(checkBaseUrl(text)).toMatchObject({ url, reach });
});

it("knows the prefix of the older version beside", () => {
  expect(checkBaseUrl("https://api.example.com/data/v3")).toMatchObject({
    v2Url: "https://api.example.com/data/v2",
  });
});

it.each([
  ["", /is not a web address/],
  ["api.example.com", /is not a web address/],
  ["ftp://api.example.com", /is not a web address/],
  ["https://", /is not a web address/],
  ["sandbox", /is not a web address/],
  ["http://api.example.com", /plain http/],
  ["http://10.0.0.1:8787", /plain http/],
  ["http://0.0.0.0:8787", /plain http/],
  ["http://localhost.example.com", /plain http/],
  ["http://127.0.0.1.example.com", /plain http/],
  ["http://[::ffff:10.0.0.1]", /plain http/],
  ["https://key@api.example.com", /user name or password/],
  ["https://api.example.com/v3?key=1", /\? or #/],
])("%j is refused with a reason and a cure", (text, reason) => {
  const found = checkBaseUrl(text);
  expect(found).toMatchObject({
    problem: expect.stringMatching(reason),
    hint: expect.stringMatching(/./),
  });
});

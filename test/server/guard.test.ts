import { describe, expect, it } from "vitest";
import { refuseCaller, refuseOrigin } from "../../src/server/access/guard.ts";

const headers = (values: Record<string, string>) => (name: string) => values[name];
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

describe("a caller", () => {
  it.each([
    "localhost",
    "localhost:9464",
    "LOCALHOST:9464",
    "127.0.0.1:9464",
    "127.8.8.8",
    "[::1]:9464",
    "chirp.localhost:1",
    "localhost.",
  ])("without a token may come by the name %s", (host) => {
    expect(refuseCaller(headers({ host }), {}, "read")).toBeUndefined();
  });

  it("without a token may come by the name under which a proxy serves the page", () => {
    expect(
      refuseCaller(
        headers({ host: "CW.example.com:443" }),
        { publicHost: "cw.example.com" },
        "read",
      ),
    ).toBeUndefined();
    expect(
      refuseCaller(headers({ host: "evil.example" }), { publicHost: "cw.example.com" }, "read")
        ?.code,
    ).toBe("SERVER_FOREIGN_HOST");
  });

  it.each([
    "evil.example",
    "evil.example:9464",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "",
    "10.0.0.1",
    "0.0.0.0:9464",
  ])("without a token is refused by the name %j", (host) => {
    expect(refuseCaller(headers({ host }), {}, "read")?.code).toBe("SERVER_FOREIGN_HOST");
  });

  it.each(["Bearer s3cret", "bearer s3cret", basic("any:s3cret"), basic(":s3cret")])(
    "with the token in %j is let in, by any name",
    (authorization) => {
      expect(
        refuseCaller(
          headers({ authorization, host: "chirp.example" }),
          { token: "s3cret" },
          "change",
        ),
      ).toBeUndefined();
    },
  );

  it("whose token holds a colon is let in", () => {
    expect(
      refuseCaller(headers({ authorization: basic("any:a:b") }), { token: "a:b" }, "read"),
    ).toBeUndefined();
  });

  it.each([
    "",
    "Bearer",
    "Bearer ",
    "Bearer s3cre",
    "Bearer s3crets",
    "Digest s3cret",
    basic("s3cret:"),
    "s3cret",
  ])("with %j instead of the token is refused", (authorization) => {
    expect(
      refuseCaller(headers({ authorization, host: "localhost" }), { token: "s3cret" }, "read")
        ?.status,
    ).toBe(401);
  });
});

describe("a request that changes something", () => {
  it.each([
    {},
    { "sec-fetch-site": "same-origin", origin: "http://localhost:9464", host: "localhost:9464" },
    { origin: "http://LOCALHOST:9464", host: "Localhost:9464" },
    { "sec-fetch-site": "none", host: "localhost:9464" },
  ])("is taken from a command or the page itself: %j", (values) => {
    expect(refuseOrigin(headers(values as Record<string, string>))).toBeUndefined();
  });

  it.each([
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "https://evil.example", host: "localhost:9464" },
    { origin: "null", host: "localhost:9464" },
    { origin: "http://localhost:3000", host: "localhost:9464" },
  ])("is refused from another site's page: %j", (values) => {
    expect(refuseOrigin(headers(values as Record<string, string>))?.code).toBe(
      "SERVER_FOREIGN_ORIGIN",
    );
  });
});

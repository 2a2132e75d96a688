import { describe, expect, it } from "vitest";
import { isLoopback } from "../../src/model/loopback.ts";

describe("this machine", () => {
  it.each(["localhost", "LOCALHOST", "a.localhost", "127.0.0.1", "127.8.9.10", "::1", "[::1]"])(
    "is %s",
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    "http://127.1/",
    "http://0x7f000001/",
    "http://[::ffff:127.0.0.1]/",
    "http://[0:0:0:0:0:0:0:1]/",
  ])("is the host of %s", (address) => {
    expect(isLoopback(new URL(address).hostname)).toBe(true);
  });

  it.each([
    "",
    "0.0.0.0",
    "::",
    "example.com",
    "localhost.example.com",
    "mylocalhost",
    "127.0.0.1.example.com",
    "128.0.0.1",
    "::ffff:8001",
  ])('is not "%s"', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});

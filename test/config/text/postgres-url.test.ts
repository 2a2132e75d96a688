/**
 * Tests how the address of a Postgres database is read, and that TLS is on for every host but this
 * machine.
 */
import { expect, test } from "vitest";
import { parsePostgresUrl } from "../../../src/config/text/postgres-url.ts";

const parse = (text: string) => parsePostgresUrl(text, "/etc/chirpwatch");

test("names host, port, database and role, percent-encoded where it must be", () => {
  expect(parse("postgresql://c%40w:p%2Fw%25@db.example.com/my%20db")).toEqual({
    host: "db.example.com",
    port: 5432,
    database: "my db",
    user: "c@w",
    password: "p/w%",
    tls: "full",
  });
  expect(parse("postgres://cw@[2001:db8::1]:6432/cw")).toMatchObject({
    host: "2001:db8::1",
    port: 6432,
  });
  expect(parse("postgres://cw@localhost/cw?host=/var/run/postgresql")).toMatchObject({
    host: "/var/run/postgresql",
    tls: "off",
  });
});

test.each([
  ["postgres://cw@127.0.0.1/cw", "off"],
  ["postgres://cw@localhost/cw", "off"],
  ["postgres://cw@[::1]/cw", "off"],
  ["postgres://cw@10.0.0.7/cw", "full"],
  ["postgres://cw@db/cw", "full"],
  ["postgres://cw@db/cw?sslmode=disable", "off"],
  ["postgres://cw@db/cw?sslmode=require", "unverified"],
  ["postgres://cw@127.0.0.1/cw?sslmode=verify-ca", "ca"],
])("%s has TLS: %s", (text, tls) => {
  expect(parse(text)).toMatchObject({ tls });
});

test("certificates lie beside the configuration", () => {
  expect(parse("postgres://cw@db/cw?sslrootcert=ca.pem")).toMatchObject({
    caFile: "/etc/chirpwatch/ca.pem",
  });
});

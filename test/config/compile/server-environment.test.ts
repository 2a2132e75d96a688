import { describe, expect, it } from "vitest";
import { goodConfig, issuesOf, oneWatch } from "../load-text.ts";

const OPEN = { CHIRPWATCH_SERVER_LISTEN: "0.0.0.0:9464" };
const FILE = { CHIRPWATCH_SERVER_TOKEN_FILE: "/data/server-token" };
const plain = oneWatch("");
const withToken = oneWatch("", 'server: { listen: "127.0.0.1:1", token: "${YAML_TOKEN}" }');

const serverOf = async (
  text: string,
  env: Record<string, string>,
  files: Record<string, string> = {},
) => (await goodConfig(text, { env: { YAML_TOKEN: "of-the-file", ...env }, files })).server;
const wordsOf = async (
  text: string,
  env: Record<string, string>,
  files: Record<string, string> = {},
) =>
  (await issuesOf(text, { env, files })).map(
    ({ line, column, rule, message }) => `${line}:${column} ${rule}: ${message}`,
  );

describe("the address of the environment", () => {
  it("wins over the file's, and over none", async () => {
    const env = { CHIRPWATCH_SERVER_LISTEN: "[::1]:7000" };
    expect(await serverOf(oneWatch("", 'server: { listen: "127.0.0.1:1" }'), env)).toEqual({
      host: "::1",
      port: 7000,
    });
    expect(await serverOf(plain, env)).toEqual({ host: "::1", port: 7000 });
  });

  it("counts for nothing when it is empty", async () => {
    expect(await serverOf(plain, { CHIRPWATCH_SERVER_LISTEN: " " })).toEqual({
      host: "127.0.0.1",
      port: 9464,
    });
  });

  it("makes an open address of the file a private one", async () => {
    const text = oneWatch("", 'server: { listen: "0.0.0.0:1" }');
    expect(await serverOf(text, { CHIRPWATCH_SERVER_LISTEN: "127.0.0.1:2" })).toEqual({
      host: "127.0.0.1",
      port: 2,
    });
  });

  it("is read from the .env beside the file too", async () => {
    expect(
      await serverOf(plain, {}, { "/etc/chirpwatch/.env": "CHIRPWATCH_SERVER_LISTEN=127.0.0.1:3" }),
    ).toMatchObject({ port: 3 });
  });

  it("is refused by its name when it is none", async () => {
    expect(
      await wordsOf(oneWatch("", 'server: { listen: "127.0.0.1:1" }'), {
        CHIRPWATCH_SERVER_LISTEN: "9464",
      }),
    ).toEqual([
      '8:19 listen: CHIRPWATCH_SERVER_LISTEN: "9464" is not an address to listen on: write host:port, like 127.0.0.1:9464',
    ]);
  });

  it("wants a token when it is open to others", async () => {
    expect(await wordsOf(plain, OPEN)).toEqual([
      "1:1 listen-token: CHIRPWATCH_SERVER_LISTEN on 0.0.0.0 can be reached from other machines: set CHIRPWATCH_SERVER_TOKEN or CHIRPWATCH_SERVER_TOKEN_FILE, or listen on 127.0.0.1",
    ]);
  });

  it("wants none from commands that do not listen there", async () => {
    expect((await goodConfig(plain, { env: OPEN, lenientSecrets: true })).server).toEqual({
      host: "0.0.0.0",
      port: 9464,
    });
  });
});

describe("the server's token", () => {
  const files = { "/data/server-token": "of-the-token-file\n" };

  it("is the file's, else the environment's, else that of the file the environment names", async () => {
    const all = { ...OPEN, ...FILE, CHIRPWATCH_SERVER_TOKEN: "of-the-environment" };
    expect((await serverOf(withToken, all, files)).token).toBe("of-the-file");
    expect((await serverOf(plain, all, files)).token).toBe("of-the-environment");
    expect((await serverOf(plain, { ...all, CHIRPWATCH_SERVER_TOKEN: "" }, files)).token).toBe(
      "of-the-token-file",
    );
  });

  it("may be a file that is yet to be made", async () => {
    expect(await serverOf(plain, { ...OPEN, ...FILE })).toEqual({
      host: "0.0.0.0",
      port: 9464,
      newTokenFile: "/data/server-token",
    });
  });

  it("is not made where there is one already", async () => {
    expect(await serverOf(withToken, { ...OPEN, ...FILE })).not.toHaveProperty("newTokenFile");
  });

  it("is not an empty file", async () => {
    expect(await wordsOf(plain, { ...OPEN, ...FILE }, { "/data/server-token": " \n" })).toEqual([
      "1:1 secret-file: CHIRPWATCH_SERVER_TOKEN_FILE: /data/server-token is empty: write a token into it, or remove it, and `run` creates one",
    ]);
  });
});

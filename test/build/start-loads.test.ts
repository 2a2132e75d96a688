/**
 * Tests which files the built command reads until its first poll is over, and which ones a command
 * beside it reads.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { cleanUpAfterwards } from "../e2e/fixture.ts";
import { makeFolder, runBin, startBin } from "../support/bin-process.ts";

cleanUpAfterwards();

const smallest = (serviceUrl: string): string => `version: 1
api: { base_url: "${serviceUrl}", key: k }
state: { path: state.db }
server: { listen: "127.0.0.1:0" }
watches:
  brand: { type: search, query: acme, schedule: "@every 5m" }
sinks:
  terminal: { type: console }
`;

/** The bundler names each source above its code. */
const SOURCE = /^\/\/ (?:.*\/)?(node_modules\/(?:@[^/\n]+\/)?[^/\n]+|src\/[^\n]+)/gm;

/** Returns the packages and the folders of src/ whose code a process read, from its coverage. */
function loadedBy(folder: string): readonly string[] {
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(join(folder, name), "utf8")) as {
      readonly result: readonly { readonly url: string }[];
    };
    return result.map(({ url }) => url).filter((url) => url.startsWith("file:"));
  });
  const sources = urls.flatMap((url) => {
    const text = readFileSync(fileURLToPath(url), "utf8");
    return [...text.matchAll(SOURCE)].map(([, source = ""]) => source);
  });
  return [...new Set(sources.map((source) => source.replace(/\/[^/]+\.ts$/, "")))].sort();
}

const textOf = (coverage: string): string => `${loadedBy(coverage).join("\n")}\n`;

/** Answers each request with a body that suits both kinds of endpoints: no tweet, and no limit. */
const answerEmpty = (_: unknown, response: ServerResponse): void => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ tweets: [], next_cursor: null, remaining_requests: 1_000_000 }));
};

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Makes a folder with the smallest configuration, and one for the coverage of a process. */
async function makePlace() {
  const service = await listen(createServer(answerEmpty));
  const folder = makeFolder({ "watches.yaml": smallest(service) });
  const coverage = join(folder, "coverage");
  mkdirSync(coverage);
  return { folder, env: { NODE_V8_COVERAGE: coverage }, coverage };
}

it("a start with the smallest file loads these packages and rooms, and no others", async () => {
  const { folder, env, coverage } = await makePlace();
  const daemon = startBin(["run"], { cwd: folder, env });
  await daemon.logged(/^brand: 0 items noted/);
  daemon.kill("SIGTERM");
  await daemon.gone;
  expect(loadedBy(coverage)).toContain("node_modules/undici");
  await expect(textOf(coverage)).toMatchFileSnapshot("start-loads.txt");
});

it("a command beside a running daemon loads these, and nothing of the state", async () => {
  const { folder, env, coverage } = await makePlace();
  const daemon = startBin(["run"], { cwd: folder });
  await daemon.logged(/^brand: 0 items noted/);
  const { code, err } = await runBin(["status"], { cwd: folder, env });
  expect(code, err).toBe(0);
  expect(loadedBy(coverage)).not.toContain("src/state");
  await expect(textOf(coverage)).toMatchFileSnapshot("command-loads.txt");
});

it("a start reads no character that doubles the memory of its file", () => {
  const chunks = join(import.meta.dirname, "../../dist/chunks");
  const wide = readdirSync(chunks).filter((name) =>
    /[^\0-\x7f]/.test(readFileSync(join(chunks, name), "utf8")),
  );
  expect(wide).toEqual([]);
});

it("the parts of undici in the bundle reach a host through a proxy", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer();
  proxy.on("connect", (request, socket) => {
    asked.push(request.url);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  const address = await listen(proxy);
  const sink = `hook: { type: webhook, url: "https://93.184.215.14/hook" }`;
  const folder = makeFolder({
    "watches.yaml": smallest("http://127.0.0.1:9").replace("terminal: { type: console }", sink),
  });
  const { code, err } = await runBin(["test", "--sink", "hook"], {
    cwd: folder,
    env: { HTTPS_PROXY: address },
  });
  expect({ code, asked }, err).toEqual({ code: 1, asked: ["93.184.215.14:443"] });
});

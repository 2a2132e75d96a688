/**
 * Tests `chirpwatch call` for every operation, over real HTTP, against one sandbox.
 * plan-and-call.test.ts tests it as a process.
 */
import { Command } from "commander";
import { afterAll, beforeAll, expect, it } from "vitest";
import { ENDPOINTS, type EndpointName } from "../../../src/api/endpoints/index.ts";
import { addCall } from "../../../src/cli/call/call.ts";
import { createContext } from "../../../src/cli/terminal/context.ts";
import { createHttpAgent } from "../../../src/runtime/http-agent.ts";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/sandbox.ts";
import { type SandboxSample, sandboxParams } from "../../support/sandbox-params.ts";

let sandbox: Sandbox;
let sample: SandboxSample;
/** Each operation has a key of its own, so that none meets the rate limit of another. */
const keyOf = (name: EndpointName): string => `K-${name}`;
const context = createContext();
const log = context.logger("error");
beforeAll(async () => {
  sandbox = await startSandbox({
    clock: createSystemClock(),
    keys: (Object.keys(ENDPOINTS) as EndpointName[]).map(keyOf),
  });
  sample = (await (await fetch(`${sandbox.url}/_sandbox/sample`)).json()) as SandboxSample;
});
afterAll(async () => {
  await sandbox.close();
  await context.http.close();
});

/** Runs an operation and returns what it prints on both streams. */
async function call(
  name: EndpointName,
  ...args: readonly string[]
): Promise<{ readonly out: string; readonly err: string }> {
  const printed = { out: "", err: "" };
  const program = new Command("chirpwatch").exitOverride();
  addCall(program, {
    ...context,
    logger: () => log,
    env: { CHIRPWATCH_API_URL: sandbox.url, CHIRPWATCH_API_KEY: keyOf(name) },
    http: createHttpAgent(),
    out: (text) => void (printed.out += text),
    err: (text) => void (printed.err += text),
  });
  await program.parseAsync(["node", "chirpwatch", "call", name, ...args]);
  return printed;
}

const flagsOf = (name: EndpointName): readonly string[] =>
  Object.entries(sandboxParams(sample)[name]).flatMap(([param, value]) => {
    const values = Array.isArray(value) ? (value as readonly string[]) : [value as string | number];
    return values.flatMap((one) => [`--${param.replaceAll("_", "-")}`, String(one)]);
  });

it.each(Object.keys(ENDPOINTS) as EndpointName[])(
  "call %s gives its answer as JSON and as a table, and says what it cost",
  async (name) => {
    const { out, err } = await call(name, ...flagsOf(name), "--limit", "3", "--json");
    expect(err).toMatch(
      new RegExp(`^\\d+ items?, ${ENDPOINTS[name].billed ? "[1-9]\\d*" : "0"} requests? billed`),
    );
    const { kind } = ENDPOINTS[name].answer;
    const answer = JSON.parse(out) as Record<string, unknown> | readonly unknown[];
    if (kind === "record")
      expect(Object.keys([answer].flat()[0] as object).length).toBeGreaterThan(0);
    else expect(answer).toHaveProperty(kind, expect.any(Array));
    expect((await call(name, ...flagsOf(name), "--table")).out).toMatch(
      /^(ID|FIELD|NAME) |^\(nothing\)$/,
    );
  },
);

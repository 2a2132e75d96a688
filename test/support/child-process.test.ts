import { afterEach, expect, test } from "vitest";
import { endChildren, runScript, startScript } from "./child-process.ts";
import { until } from "./until.ts";

afterEach(endChildren);

const never = () => until("what never comes", () => false);

test("a child that ends early fails every pending wait at once, and shows what it wrote", async () => {
  startScript(["-e", 'console.error("no such luck"); process.exitCode = 3']);
  await expect(never()).rejects.toThrow(/^node -e .* ended early with 3\nno such luck\n$/s);
  await endChildren();
});

test("a child may end when it is stopped, and when it was started to run to its end", async () => {
  const child = startScript(["-e", "setInterval(() => undefined, 1_000)"]);
  child.kill("SIGTERM");
  expect(await child.gone).toMatchObject({ code: null, signal: "SIGTERM" });
  expect(await runScript(["-e", "console.log(1); process.exitCode = 2"])).toEqual({
    code: 2,
    signal: null,
    out: "1\n",
    err: "",
  });
  await until("nothing", () => true);
});

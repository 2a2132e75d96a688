/**
 * Tests the limits that end a failing test which the runner cannot end, in processes of their own.
 */
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runScript } from "./child-process.ts";
import { makeStateFolder } from "./state-folder.ts";
import { until } from "./until.ts";

let folder = "";
beforeAll(async () => {
  folder = makeStateFolder();
  const bundled = await rolldown({
    input: join(import.meta.dirname, "watchdog.ts"),
    platform: "node",
  });
  await bundled.write({ file: join(folder, "watchdog.mjs"), format: "esm" });
  await bundled.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Writes a script that prints its process id and then never yields. */
function writeBusy(maxSilenceMs: number): { readonly script: string; readonly pidFile: string } {
  const [script, pidFile] = [
    join(folder, `busy-${maxSilenceMs}.mjs`),
    join(folder, `pid-${maxSilenceMs}`),
  ];
  const busy = `setTimeout(() => { writeFileSync(${JSON.stringify(pidFile)}, String(process.pid)); for (;;); }, 200);`;
  const start = `startWatchdog({ maxSilenceMs: ${maxSilenceMs}, beatMs: 50 });`;
  writeFileSync(
    script,
    `import { writeFileSync } from "node:fs";\nimport { startWatchdog } from "./watchdog.mjs";\n${start}\n${busy}\n`,
  );
  return { script, pidFile };
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

it("a process that never yields ends, and says why", async () => {
  const { signal, err } = await runScript([writeBusy(500).script]);
  expect(signal).toBe("SIGKILL");
  expect(err).toMatch(/^test process \d+ ends: it has not yielded for \S+ s\n$/);
});

it("a process ends with the one that started it, although it never yields", async () => {
  const { script, pidFile } = writeBusy(3_600_000);
  const starter = `require("node:child_process").spawn(process.execPath, [${JSON.stringify(script)}]); setInterval(() => undefined, 1000);`;
  const parent = spawn(process.execPath, ["-e", starter], { stdio: "ignore" });
  const pid = await until("the busy process", () => Number(readOr(pidFile)) || undefined);
  parent.kill("SIGKILL");
  await until("its end", () => !isAlive(pid));
});

it("a property has a bound, and fails where that is reached", () => {
  expect(fc.readConfigureGlobal()).toMatchObject({
    interruptAfterTimeLimit: 100_000,
    markInterruptAsFailure: true,
  });
  // The bound also applies to shrinking, which would take hours here.
  let runs = 0;
  const slow = fc.property(fc.array(fc.integer(), { minLength: 50 }), () => {
    runs += 1;
    const endAt = performance.now() + 20;
    while (performance.now() < endAt);
    return runs === 0;
  });
  const begunAt = performance.now();
  expect(fc.check(slow, { interruptAfterTimeLimit: 300 })).toMatchObject({ failed: true });
  expect(performance.now() - begunAt).toBeLessThan(30_000);
});

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/**
 * Tests the thread that renders templates, as it ships: no template can stop the process that
 * started it.
 */
import { existsSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import type { MessageTemplate, TemplateRunner } from "../../../src/model/template.ts";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import { packageFile } from "../../../src/runtime/package-file.ts";
import { startTemplateWorker } from "../../../src/runtime/threads/template-worker.ts";

const template = (name: string, body: string): MessageTemplate => ({ name, events: ["*"], body });

/** Three nested loops, which take far longer than any time limit. */
const ENDLESS =
  "{% for i in (1..1000) %}{% for j in (1..1000) %}{% for k in (1..1000) %}{{ i }}{% endfor %}{% endfor %}{% endfor %}";

function start(templates: readonly MessageTemplate[], script?: string | URL): TemplateRunner {
  if (!existsSync(packageFile("dist/template-worker.js")))
    throw new Error("dist is not built: run `npm run build` first");
  const runner = startTemplateWorker(templates, {
    clock: createSystemClock(),
    ...(script === undefined ? {} : { script }),
  });
  onTestFinished(() => runner.stop());
  return runner;
}

const job = (name: string, data: object = {}) => ({
  template: name,
  data: JSON.stringify(data),
  region: {},
  hasMoments: false,
  nowMs: 0,
});

describe("the thread that renders templates", () => {
  it("answers jobs in their order, also those that come while it starts", async () => {
    const runner = start([template("hi", "hi {{ n }}")]);
    const [first, second] = await Promise.all([
      runner.run([job("hi", { n: 1 }), job("hi", { n: 2 })]),
      runner.run([job("hi", { n: 3 })]),
    ]);
    expect([...first, ...second]).toEqual(
      [1, 2, 3].map((n) => ({ wording: { body: [`hi ${n}`] } })),
    );
  });

  it("gives up what does not end, and renders what waits behind it", async () => {
    const runner = start([template("hi", "hi"), template("endless", ENDLESS)]);
    const results = await runner.run([job("hi"), job("endless"), job("hi")]);
    expect(results).toMatchObject([
      { wording: { body: ["hi"] } },
      { isRunaway: true },
      { wording: { body: ["hi"] } },
    ]);
  });

  it("is ended when liquidjs itself does not stop it", async () => {
    const runner = start([template("hi", "hi")], stuckThread());
    const results = await runner.run([job("hi"), job("stuck"), job("hi")]);
    const stuck = { problem: "it took longer than a second", isRunaway: true };
    expect(results).toEqual([{ wording: { body: ["hi"] } }, stuck, { wording: { body: ["hi"] } }]);
    expect(await runner.run([job("hi")])).toEqual([{ wording: { body: ["hi"] } }]);
  });

  it("takes one job with it where it runs out of memory", async () => {
    const runner = start([template("hi", "hi")], stuckThread());
    const results = await runner.run([job("hi"), job("greedy"), job("hi")]);
    expect(results).toMatchObject([
      { wording: { body: ["hi"] } },
      { isRunaway: true },
      { wording: { body: ["hi"] } },
    ]);
  });

  it("fails all jobs where it cannot start, and none for ever", async () => {
    const runner = start([template("hi", "hi")], "/nonexistent/template-worker.js");
    expect(await runner.run([job("hi"), job("hi")])).toMatchObject([
      { isRunaway: false },
      { isRunaway: false },
    ]);
  });

  it("answers what is under way when it is stopped, and what comes after", async () => {
    const runner = start([template("endless", ENDLESS)]);
    const underWay = runner.run([job("endless")]);
    await runner.stop();
    expect(await underWay).toMatchObject([{ problem: "the daemon stops" }]);
    expect(await runner.run([job("endless")])).toMatchObject([{ problem: "the daemon stops" }]);
  });
});

/**
 * Returns the script of a thread that answers "hi" to all jobs of a message. It hangs on a job
 * called "stuck", and uses up the memory on one called "greedy".
 */
const stuckThread = (): URL => {
  const code = `
    import { parentPort } from "node:worker_threads";
    parentPort.on("message", (jobs) => {
      for (const { template } of jobs) {
        if (template === "stuck") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
        if (template === "greedy") for (const all = []; ; ) all.push(new Array(1e5).fill(1.5));
      }
      parentPort.postMessage(jobs.map(() => ({ wording: { body: ["hi"] } })));
    });
    parentPort.postMessage(null);`;
  return new URL(`data:text/javascript,${encodeURIComponent(code)}`);
};

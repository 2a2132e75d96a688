/** Tests a task in a thread of its own: what it returns, and how it ends. */
import { describe, expect, it } from "vitest";
import { runInThread } from "../../../src/runtime/threads/run-in-thread.ts";

/** Returns the address of a thread's script with this code, `parentPort` and `workerData`. */
const scriptOf = (code: string): URL =>
  new URL(
    `data:text/javascript,${encodeURIComponent(
      `import { parentPort, workerData } from "node:worker_threads"; ${code}`,
    )}`,
  );

const quiet = { onProgress: () => undefined };

describe("a task in a thread", () => {
  it("gets its data, says how far it is, and returns its result", async () => {
    const shares: number[] = [];
    const script = scriptOf(`
      parentPort.postMessage({ kind: "progress", share: 0.5 });
      parentPort.postMessage({ kind: "done", result: new Map([["sum", workerData.a + workerData.b]]) });`);
    const result = await runInThread<Map<string, number>>(
      script,
      { a: 1, b: 2 },
      { onProgress: (share) => shares.push(share) },
    );
    expect(result).toEqual(new Map([["sum", 3]]));
    expect(shares).toEqual([0.5]);
  });

  it("fails with what it throws", async () => {
    const thrown = runInThread(scriptOf(`throw new TypeError("no such name");`), {}, quiet);
    await expect(thrown).rejects.toThrow(TypeError);
    await expect(thrown).rejects.toThrow("no such name");
  });

  it("fails if it ends without a result, or cannot start", async () => {
    await expect(runInThread(scriptOf(`process.exit(3);`), {}, quiet)).rejects.toThrow(
      "the thread ended with code 3",
    );
    await expect(runInThread("/nonexistent/thread.js", {}, quiet)).rejects.toThrow(
      "Cannot find module",
    );
    await expect(runInThread(scriptOf(""), { fn: () => 1 }, quiet)).rejects.toThrow(
      "could not be cloned",
    );
  });

  it("ends with its signal, though it never pauses", async () => {
    const stop = new AbortController();
    const script = scriptOf(`parentPort.postMessage({ kind: "progress", share: 0 }); for (;;);`);
    const task = runInThread(
      script,
      {},
      {
        signal: stop.signal,
        onProgress: () => stop.abort(new Error("stopped")),
      },
    );
    await expect(task).rejects.toThrow("stopped");
  });
});

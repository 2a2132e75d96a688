/** What the operator hears of a state that cannot be written. */
import { expect, it } from "vitest";
import { createStoreWatch } from "../../../src/engine/health/store-watch.ts";
import { StoreError, type StoreFailure } from "../../../src/model/store-error.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

/** `again`: what becomes of the write that is tried next. */
async function notified(code: StoreFailure, again: Promise<void> = Promise.reject(new Error("no"))): Promise<readonly string[]> {
  const said: string[] = [];
  const watch = createStoreWatch({
    store: { proveWritable: () => again },
    clock: createVirtualClock(0),
    log: rememberingLog(),
    notifyDirectly: async (text) => void said.push(text),
    onRecovered: () => undefined,
  });
  expect(watch.takeError(new StoreError(code, "it is so"))).toBe(true);
  await again.catch(() => undefined);
  await Promise.resolve();
  watch.stop();
  return said;
}

it("notifies the operator of a state that cannot be written, and not of other replicas that took over", async () => {
  const text = "chirpwatch cannot write its state and stopped polling: it is so";
  expect(await notified("STORE_FULL")).toEqual([text]);
  expect(await notified("STORE_UNREACHABLE")).toEqual([text]);
  expect(await notified("STORE_REPLACED")).toEqual([]);
  expect(await notified("STORE_UNREACHABLE", Promise.reject(new StoreError("STORE_REPLACED", "others took over")))).toEqual([]);
});

it("notifies nobody of a connection that is back at once", async () => {
  expect(await notified("STORE_UNREACHABLE", Promise.resolve())).toEqual([]);
});

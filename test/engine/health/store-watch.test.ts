/** What the operator hears of a state that cannot be written. */
import { expect, it } from "vitest";
import { createStoreWatch } from "../../../src/engine/health/store-watch.ts";
import { StoreError, type StoreFailure } from "../../../src/model/store-error.ts";
import { rememberingLog } from "../../state/temp-state.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";

function notified(code: StoreFailure): readonly string[] {
  const said: string[] = [];
  const watch = createStoreWatch({
    store: { proveWritable: () => Promise.reject(new Error("no")) },
    clock: createVirtualClock(0),
    log: rememberingLog(),
    notifyDirectly: async (text) => void said.push(text),
    onRecovered: () => undefined,
  });
  expect(watch.takeError(new StoreError(code, "it is so"))).toBe(true);
  watch.stop();
  return said;
}

it("notifies the operator of a state that cannot be written, and not of other replicas that took over", () => {
  expect(notified("STORE_FULL")).toEqual(["chirpwatch cannot write its state and stopped polling: it is so"]);
  expect(notified("STORE_REPLACED")).toEqual([]);
});

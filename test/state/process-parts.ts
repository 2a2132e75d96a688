/**
 * What the processes of these tests need of the sources, bundled before the first of them starts:
 * reading the sources takes longer than most of these tests.
 */
export { loadDriver } from "../../src/state/db/driver.ts";
export { openStore } from "../../src/state/open.ts";
export { makeEvent } from "../support/make-event.ts";
export { createSeededRandom } from "../support/seeded-random.ts";
export { createVirtualClock } from "../support/virtual-clock.ts";

/** What the processes of these tests need of the sources, as one module: each import through Vite starts a server of its own. */
export { loadDriver } from "../../src/state/db/driver.ts";
export { openStore } from "../../src/state/open.ts";
export { makeEvent } from "../support/make-event.ts";
export { createSeededRandom } from "../support/seeded-random.ts";
export { createVirtualClock } from "../support/virtual-clock.ts";

/**
 * Runs one watch on the polling part of the daemon, with the bundled sandbox of seed 1, in one
 * process on the virtual clock. A test moves the world and reads the alerts. The control functions of the
 * sandbox are called as its control API would.
 */
import { onTestFinished } from "vitest";
import type { ChirpEvent } from "../../src/model/event.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { NeutralMessage } from "../../src/model/message.ts";
import type { World } from "../../src/sandbox/world/world.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { type EngineHarness, startEngineHarness } from "../support/engine-harness.ts";
import { makeWatch, type WatchChanges } from "../support/make-watch.ts";
import { createSandboxService } from "../support/sandbox-service.ts";
import { createVirtualClock, type VirtualClock } from "../support/virtual-clock.ts";

const START_MS = Date.UTC(2026, 2, 2, 12, 0, 0);
const MINUTE_MS = 60_000;

/** An alert as a sink would show it. */
export interface Alert {
  readonly event: ChirpEvent;
  readonly message: NeutralMessage;
}

export interface WatchFixture {
  readonly harness: EngineHarness;
  readonly clock: VirtualClock;
  readonly world: World;
  /** Asks the sandbox's control API. @throws when it refuses. */
  control(method: string, path: string, body?: JsonObject): JsonObject;
  /** Lets minutes pass, and polls with them: one every minute unless the watch says otherwise. */
  minutes(count: number): Promise<void>;
  /** Returns the alerts, oldest first. */
  alerts(): Promise<readonly Alert[]>;
  /** Returns the billed requests so far, by endpoint. */
  billed(): Readonly<Record<string, number>>;
}

/**
 * The type's own settings, or a function that sets the world up before the daemon starts and then
 * returns them.
 */
export type FixtureSettings = JsonObject | ((control: WatchFixture["control"]) => JsonObject);

/**
 * Starts a watch and resolves when its baseline is done, after two minutes. Closed after the test.
 */
export async function startWatchFixture(
  type: string,
  settings: FixtureSettings,
  changes: WatchChanges = {},
): Promise<WatchFixture> {
  const clock = createVirtualClock(START_MS);
  const service = createSandboxService(clock);
  const own = typeof settings === "function" ? settings(service.control) : settings;
  const harness = await startEngineHarness({
    clock,
    upstream: service.upstream,
    watches: [makeWatch("w", type, own, changes)],
  });
  onTestFinished(() => harness.close());
  const fixture: WatchFixture = {
    harness,
    clock,
    world: service.world,
    control: service.control,
    minutes: (count) => clock.advance(count * MINUTE_MS),
    alerts: async () => (await harness.events()).map(readAloud).reverse(),
    billed: () => service.billed().byEndpoint,
  };
  await fixture.minutes(2);
  return fixture;
}

function readAloud(event: ChirpEvent): Alert {
  const type = WATCH_TYPES.find((one) => one.type === event.watchType);
  if (type === undefined) throw new Error(`no watch type ${event.watchType}`);
  return {
    event,
    message: type.read({ event, watches: [event.watch] }, { linksHost: "https://x.com" }),
  };
}

/** Tests what the state registers of a configuration's watches, and which of them are polled. */
import { expect, it } from "vitest";
import { enabledOf, registerConfiguredWatches } from "../../../src/app/daemon/registration.ts";
import { onReturnOf } from "../../../src/operate/pause.ts";
import { type ChangedWatches, type Share, WHOLE } from "../../../src/model/replicas.ts";
import type { Store } from "../../../src/model/store.ts";
import type { WatchRegistration } from "../../../src/model/watch-store.ts";
import { createVirtualClock } from "../../support/virtual-clock.ts";
import { sha256 } from "../../../src/runtime/hash.ts";
import { silentLog } from "../../server/daemon-stand-in.ts";
import { goodConfig } from "../../config/load-text.ts";

const WATCHES = {
  first: { type: "timeline", accounts: ["acme", "id:44"] },
  off: { type: "search", query: "off", enabled: false, on_return: "skip" },
  renamed: { type: "search", query: "acme", moved_from: "old" },
};

const load = () =>
  goodConfig(JSON.stringify({ version: 1, watches: WATCHES, sinks: { out: { type: "console" } } }));

const DEPS = { hash: sha256, clock: createVirtualClock(0), log: silentLog };

/** Creates a state that gives each watch a key of its own. */
function makeState() {
  const registered: WatchRegistration[] = [];
  const registerAll = async (
    watches: readonly WatchRegistration[],
    _nowMs: number,
    onWritten: () => void,
  ) => {
    if (registered.length === 0) onWritten();
    registered.push(...watches);
    return watches.map(({ id }) => ({ id, key: `key of ${id}` }));
  };
  return {
    registered,
    store: { registerWatches: registerAll, listWatches: async () => [] } as unknown as Store,
  };
}

it("registers every watch with its accounts and its former name, and polls those that are enabled, each with its own memory", async () => {
  const { registered, store } = makeState();
  const polled = enabledOf(
    await registerConfiguredWatches(await load(), { ...DEPS, store, share: WHOLE }),
  );
  expect(registered).toMatchObject([
    {
      id: "first",
      type: "timeline",
      enabled: true,
      targets: [{ key: "@acme" }, { key: "id:44", userId: "44" }],
    },
    { id: "off", enabled: false },
    { id: "renamed", enabled: true, movedFrom: "old" },
  ]);
  expect(registered.map(({ movedFrom }) => movedFrom)).toEqual([undefined, undefined, "old"]);
  expect(polled.map(({ watch, type, state }) => [watch.id, type.type, state.key])).toEqual([
    ["first", "timeline", "key of first"],
    ["renamed", "search", "key of renamed"],
  ]);
});

it("items from a watch's absence follow its on_return, or the default if the configuration no longer has the watch", async () => {
  const config = await load();
  expect([
    onReturnOf(config, "off"),
    onReturnOf(config, "first"),
    onReturnOf(config, "gone"),
  ]).toEqual(["skip", "digest", "digest"]);
});

it("has other replicas read the watches again where something new was registered, and only then", async () => {
  const { store } = makeState();
  const announced: ChangedWatches[] = [];
  const share: Share = { ...WHOLE, announce: async (watches) => void announced.push(watches) };
  await registerConfiguredWatches(await load(), { ...DEPS, store, share });
  await registerConfiguredWatches(await load(), { ...DEPS, store, share });
  expect(announced).toEqual(["all"]);
});

/**
 * Tests how a new configuration becomes active: in which order its parts change, and what stays
 * unchanged if it is refused.
 */
import { expect, it } from "vitest";
import { createSwap, type SwapDeps } from "../../src/app/swap.ts";
import type { EngineWatch } from "../../src/engine/planned-watches.ts";
import { WHOLE } from "../../src/model/replicas.ts";
import { StoreError } from "../../src/model/store-error.ts";
import { sha256 } from "../../src/runtime/hash.ts";
import { goodConfig } from "../config/load-text.ts";
import { rememberingLog } from "../state/temp-state.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

const search = (query: string) => ({ type: "search", query });
const WATCHES = {
  old: search("a"),
  added: search("b"),
  edited: search("c"),
  off: { ...search("d"), enabled: false },
};
const NOTHING = { added: [], removed: [], changed: [] };
const CHANGES = {
  watches: { ...NOTHING, added: ["added", "off"], changed: ["edited"] },
  sinks: NOTHING,
  sections: [],
  files: [],
};

const loadNext = () =>
  goodConfig(
    JSON.stringify({
      version: 1,
      watches: WATCHES,
      sinks: { out: { type: "console" } },
      ops: { sink: "out" },
    }),
  );

const namesOf = (watches: readonly EngineWatch[] | undefined) =>
  watches?.map(({ watch }) => watch.id).join(" ") ?? "the same watches";

/** Creates stand-ins that record the calls they receive, in order. */
function makeSwap({ refused, failed }: { readonly refused?: Error; readonly failed?: Error } = {}) {
  const did: string[] = [];
  const log = rememberingLog();
  const deps = {
    guard: { refusalOf: () => refused },
    delivering: {
      config: () => ({ watches: [] }),
      async prepare({ watches }: { readonly watches: readonly object[] }) {
        did.push(`prepare ${watches.length}`);
        return async (registered?: readonly EngineWatch[]) =>
          void did.push(`deliver for ${namesOf(registered)}`);
      },
    },
    polling: {
      engine: {
        writeLearned: async () => void did.push("write what was learned"),
        setWatches: async (watches: readonly EngineWatch[]) =>
          void did.push(`poll ${namesOf(watches)}`),
      },
      report: {
        started: (watches: readonly EngineWatch[]) => void did.push(`announce ${namesOf(watches)}`),
      },
      storeMonitor: { recordError: (error: unknown) => void did.push(String(error)) },
      renewKey: () => void did.push("renew the key"),
    },
    store: {
      async registerWatches(watches: readonly { readonly id: string }[]) {
        if (failed !== undefined) throw failed;
        return watches.map(({ id }) => ({ id, key: id }));
      },
      listWatches: async () => [],
      outboxStats: async () => [{ sink: "gone", waiting: 1 }],
    },
    hash: sha256,
    clock: createVirtualClock(0),
    share: WHOLE,
    log,
  };
  return { did, lines: log.lines, ...createSwap(deps as unknown as SwapDeps) };
}

it("delivers for every watch, polls those that are enabled, announces those that are new or changed, and warns of waiting deliveries", async () => {
  const { swap, did, lines } = makeSwap();
  await swap(await loadNext(), CHANGES);
  expect(did).toEqual([
    "prepare 4",
    "write what was learned",
    "deliver for old added edited off",
    "renew the key",
    "poll old added edited",
    "announce added edited",
  ]);
  expect(lines.map(({ message }) => message)).toEqual([
    "deliveries are waiting for a sink that is not configured",
  ]);
});

it("prepares nothing when the sinks are refused", async () => {
  const refused = new Error("invented tweets");
  const { swap, did } = makeSwap({ refused });
  await expect(swap(await loadNext(), CHANGES)).rejects.toBe(refused);
  expect(did).toEqual([]);
});

it("changes nothing that is active when the state does not take the watches, and the state is watched from then on", async () => {
  const failed = new StoreError("STORE_FULL", "The disk is full.");
  const { swap, did } = makeSwap({ failed });
  await expect(swap(await loadNext(), CHANGES)).rejects.toBe(failed);
  expect(did).toEqual([
    "prepare 4",
    "write what was learned",
    expect.stringContaining("The disk is full."),
  ]);
});

it("a renewal starts delivery and key afresh, for the same watches", async () => {
  const { renew, did } = makeSwap();
  await renew();
  expect(did).toEqual(["prepare 0", "deliver for the same watches", "renew the key"]);
});

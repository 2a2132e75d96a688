/**
 * Reports how an edited configuration affects the memory of its watches: whether a watch continues,
 * starts with a new baseline, or is dropped. Compares two configurations and leaves out unchanged
 * watches. Pure.
 */
import type { Config } from "../../config/config.ts";
import type { Hash } from "../../model/hash.ts";
import type { TargetRegistration, WatchState } from "../../model/watch-store.ts";
import type { Watch } from "../../model/watch.ts";
import { withAccountIds } from "../../plan/polls/named-accounts.ts";
import { targetsOf } from "../../plan/polls/plan-polls.ts";
import { thresholdText } from "../../detect/threshold.ts";
import type { MemoryView } from "../../server/schema/change-view.ts";
import type { WatchType } from "../../watches/watch-type.ts";
import { missedText } from "../pause.ts";
import { firstRunSends, returnSends } from "./sent-changes.ts";
import { watchTypeOf } from "../../watches/registry.ts";

/**
 * The effect of a change on the memory of a watch, or on a part of it.
 * - `kept`: the watch continues from where it was.
 * - `new_baseline`: everything that exists at the next poll is recorded without an alert.
 * - `dropped`: the memory is no longer used, but kept for 30 days.
 */
export type MemoryChange = MemoryView;

export interface MemoryFacts {
  readonly hash: Hash;
  /** The watches as the state knew them before the change; empty if there is no state. */
  readonly states: readonly WatchState[];
}

/** The same facts, with the states of watches by watch id. */
interface KnownStates {
  readonly hash: Hash;
  readonly states: ReadonlyMap<string, WatchState>;
}

const MAX_NAMED = 5;

export function memoryChanges(
  before: Config,
  after: Config,
  { hash, states }: MemoryFacts,
): readonly MemoryChange[] {
  const facts = { hash, states: new Map(states.map((state) => [state.id, state])) };
  const old = new Map(before.watches.map((watch) => [watch.id, watch]));
  const goesOn = new Set<string>();
  const changes = after.watches.flatMap((watch) => {
    const from = formerOf(watch, old);
    if (from !== undefined) goesOn.add(from.id);
    return from === undefined ? addedWatch(watch) : editedWatch(from, watch, facts);
  });
  const removed = before.watches.filter(({ id }) => !goesOn.has(id)).map(removedWatch);
  return [...changes, ...removed];
}

/**
 * Returns the watch whose memory this watch continues: the one with the same id, or else the one
 * that `moved_from` names.
 */
const formerOf = (
  { id, movedFrom = id }: Watch,
  old: ReadonlyMap<string, Watch>,
): Watch | undefined => old.get(id) ?? old.get(movedFrom);

const addedWatch = (watch: Watch): readonly MemoryChange[] => {
  const detail =
    "it is new; if it was removed less than 30 days ago, it continues with its old memory";
  return [
    { watch: watch.id, part: "watch", effect: "new_baseline", detail, ...firstRunSends(watch) },
  ];
};

const removedWatch = ({ id }: Watch): MemoryChange => ({
  watch: id,
  part: "watch",
  effect: "dropped",
  detail:
    "waiting alerts are still delivered; its memory is kept for 30 days, in case the watch comes back",
});

function editedWatch(before: Watch, after: Watch, facts: KnownStates): readonly MemoryChange[] {
  const { id: watch } = after;
  if (before.type !== after.type)
    return [
      {
        ...{
          watch,
          part: "type",
          effect: "new_baseline",
          detail: `a ${after.type} watch cannot use the memory of a ${before.type} watch`,
        },
        ...firstRunSends(after),
      },
    ];
  const type = watchTypeOf(after);
  const anew = [
    ...targetChanges(before, after, type, facts),
    ...detectionChanges(before, after, type, facts),
  ];
  const parts: readonly Part[] = [
    ...renamed(before, after),
    ...anew,
    ...otherSettings(before, after, anew),
    ...filterChanges(before, after),
    ...activityChanges(before, after),
  ];
  return parts.map((part) => ({ watch, ...part }));
}

/**
 * Returns the edited settings that affect no memory, but change which requests are made or which
 * items raise alerts.
 */
function otherSettings(before: Watch, after: Watch, anew: readonly Part[]): readonly Part[] {
  const named = new Set(
    anew.flatMap(({ part }) => part.split(", ").map((key) => key.replace(/\..*/, ""))),
  );
  const keys = editedKeys(before, after).filter((key) => key !== "accounts" && !named.has(key));
  return keys.length === 0 ? [] : [{ part: keys.join(", "), effect: "kept", detail: "" }];
}

type Part = Omit<MemoryChange, "watch">;

const renamed = (before: Watch, after: Watch): readonly Part[] =>
  before.id === after.id
    ? []
    : [{ part: "watch", effect: "kept", detail: `it was ${before.id} before` }];

const isAccount = ({ key }: TargetRegistration): boolean =>
  key.startsWith("@") || key.startsWith("id:");

/**
 * Returns what changed in the targets. Added and removed accounts are named. For targets that are
 * not accounts, the edited settings are named instead.
 */
function targetChanges(
  before: Watch,
  after: Watch,
  type: WatchType<any>,
  { hash, states }: KnownStates,
): readonly Part[] {
  const idOf = (key: string): string =>
    states.get(before.id)?.targets.find((target) => target.key === key)?.userId ??
    key.replace(/^id:/, "");
  const identityOf = (target: TargetRegistration): string =>
    isAccount(target) ? idOf(target.key) : target.key;
  const [old, next] = [targetsOf(hash, before, type), targetsOf(hash, after, type)];
  const [known, wanted] = [new Set(old.map(identityOf)), new Set(next.map(identityOf))];
  const added = next.filter((target) => !known.has(identityOf(target)));
  const gone = old.filter((target) => !wanted.has(identityOf(target)));
  if (added.length + gone.length === 0) return [];
  if (![...old, ...next].every(isAccount)) {
    const part = editedKeys(before, after).join(", ");
    const detail = "it is a different one; the memory of the old one is kept for 30 days";
    return [{ part, effect: "new_baseline", detail, ...firstRunSends(after) }];
  }
  const kept = next.length - added.length;
  return [
    ...(added.length === 0
      ? []
      : [
          {
            part: namesOf(added),
            effect: "new_baseline" as const,
            detail: "new in this watch",
            ...firstRunSends(after),
          },
        ]),
    ...(gone.length === 0
      ? []
      : [
          { part: namesOf(gone), effect: "dropped" as const, detail: "memory is kept for 30 days" },
        ]),
    ...(kept === 0
      ? []
      : [
          {
            part: kept === 1 ? "1 other account" : `${kept} other accounts`,
            effect: "kept" as const,
            detail: "",
          },
        ]),
  ];
}

function namesOf(targets: readonly TargetRegistration[]): string {
  const names = targets.map(({ name }) => name);
  return (
    names.slice(0, MAX_NAMED).join(", ") +
    (names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : "")
  );
}

/** Returns the keys of the watch type's own settings that were edited. */
function editedKeys(before: Watch, after: Watch): readonly string[] {
  const [old, next] = [settingsOf(before), settingsOf(after)];
  return [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
    (key) => !isSame(old[key], next[key]),
  );
}

const settingsOf = ({ settings }: Watch) => settings as Readonly<Record<string, unknown>>;

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Returns the edited settings that give the remembered values another meaning. */
function detectionChanges(
  written: Watch,
  edited: Watch,
  type: WatchType<any>,
  { states }: KnownStates,
): readonly Part[] {
  const { detection, source } = type;
  const state = states.get(written.id);
  const [before, after] = [
    withAccountIds(written, type, state?.accounts ?? {}),
    withAccountIds(edited, type, state?.accounts ?? {}),
  ];
  if (detection.detector === "feed") return [];
  if (detection.detector === "roster") {
    const memory = state?.targets[0]?.memory ?? {};
    const listOf = ({ settings }: Watch): string =>
      source(settings, { key: "id:0", userId: "0", username: "x", memory }).endpoint;
    const detail =
      "it is a different list; its members at the next read are recorded and raise no alert";
    return listOf(before) === listOf(after)
      ? []
      : [{ part: editedKeys(before, after).join(", "), effect: "new_baseline", detail }];
  }
  if ("ranking" in detection) {
    const isOther =
      detection.ranking(before.settings).top !== detection.ranking(after.settings).top;
    return isOther
      ? [{ part: "top", effect: "new_baseline", detail: "different ranks count" }]
      : [];
  }
  const [old, next] = [detection.rule(before.settings), detection.rule(after.settings)];
  if (old.subject !== next.subject)
    return [
      {
        part: editedKeys(before, after).join(", "),
        effect: "new_baseline",
        detail: "it asks about a different one",
      },
    ];
  const known = new Map(
    (old.crossing?.thresholds ?? []).map((one) => [one.name, thresholdText(one)]),
  );
  const others = (next.crossing?.thresholds ?? []).filter(
    (one) => known.get(one.name) !== thresholdText(one),
  );
  return others.map((one) => ({
    part: `when.${one.name}`,
    effect: "new_baseline" as const,
    detail: `a value that is already past "${thresholdText(one)}" is recorded and raises no alert`,
  }));
}

/** Returns the changed filters. Filters affect no memory, but decide which items raise alerts. */
function filterChanges(before: Watch, after: Watch): readonly Part[] {
  const edited = [
    ...(before.where?.text === after.where?.text ? [] : ["where"]),
    ...(isSame(before.include, after.include) ? [] : ["include"]),
    ...(isSame(before.ignore, after.ignore) ? [] : ["ignore"]),
  ];
  if (edited.length === 0) return [];
  const letGo =
    edited.includes("where") && after.recheck !== undefined
      ? "; fresh tweets that the old one rejected are dropped"
      : "";
  return [
    {
      part: edited.join(", "),
      effect: "kept",
      detail: `applies to items found from now on${letGo}`,
    },
  ];
}

function activityChanges(before: Watch, after: Watch): readonly Part[] {
  if (before.enabled === after.enabled) return [];
  return [
    {
      part: "enabled",
      effect: "kept",
      detail: after.enabled
        ? missedText(after.onReturn)
        : "it is not polled until it is enabled again",
      ...returnSends(after),
    },
  ];
}

const EFFECTS: Readonly<Record<MemoryView["effect"], string>> = {
  kept: "kept",
  new_baseline: "new baseline",
  dropped: "dropped",
};

/** Returns a text such as "brand: query: new baseline (another one; …)". */
export const memoryText = ({ watch, part, effect, detail }: MemoryChange): string =>
  `${watch}: ${part === "watch" ? "" : `${part}: `}${EFFECTS[effect]}${detail === "" ? "" : ` (${detail})`}`;

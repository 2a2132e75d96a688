/**
 * Alerts the operator about targets: one cannot be read, it can be read again, or an account has
 * another handle. Each is reported once per account, however many watches name it. Holds the texts
 * and what was reported; the causes are found elsewhere.
 */
import { createInTurn } from "../../model/in-turn.ts";
import type { TargetState, TargetStatus, WatchStore } from "../../model/watch-store.ts";
import type { PlannedWatch } from "../../plan/polls/plan-polls.ts";
import type { Ports } from "../../model/ports.ts";
import { isNewHandle, type AlertedHandles } from "./alerted-handles.ts";

export interface TargetAlertsDeps extends Pick<Ports, "opsAlerts" | "notes" | "log"> {
  readonly store: Pick<WatchStore, "loadTargets" | "setTargetStatus">;
  readonly watches: () => readonly PlannedWatch[];
}

/** A target of a watch, as it was in the state before the change that is reported. */
export interface ReportedTarget {
  readonly watchId: string;
  readonly target: TargetState;
}

export interface Loss {
  readonly status: Extract<TargetStatus, "not_indexed" | "unavailable" | "misconfigured">;
  readonly reason: string;
  readonly hint: string;
  /**
   * Whether the reason concerns an account that the watch names in addition to its targets, so that
   * one alert for the watch is enough.
   */
  readonly isOfNamedAccount?: boolean;
}

export interface RenamedAccount {
  readonly userId: string;
  /** Handles without @. */
  readonly from: string;
  readonly to: string;
  /** Whether another account has the old handle now. */
  readonly isTaken: boolean;
  readonly hint: string;
}

/** How many names an alert lists at most. */
const MAX_NAMED = 5;
const REPORTED_HANDLES_NOTE = "handles.told";

export const isLost = ({ status }: Pick<TargetState, "status">): boolean =>
  status === "unavailable" || status === "misconfigured";

/**
 * Raises the alerts, one call after the other. If two polls find the same at once, the second sees
 * what the first has reported, so that it is reported exactly once.
 */
export class TargetAlerts {
  readonly #deps: TargetAlertsDeps;
  readonly #inTurn = createInTurn();
  /** Accounts that were reported as readable again and have not been lost since. */
  readonly #back = new Set<string>();

  constructor(deps: TargetAlertsDeps) {
    this.#deps = deps;
  }

  /**
   * Marks targets that cannot be read. An unchanged status raises no second alert; `not_indexed`
   * raises none.
   */
  lost(targets: readonly ReportedTarget[], loss: Loss): Promise<void> {
    return this.#inTurn(() => this.#lost(targets, loss));
  }

  /** Reports targets that could not be read before and can be read now. */
  back(targets: readonly ReportedTarget[]): Promise<void> {
    return this.#inTurn(() => this.#returned(targets));
  }

  renamed(account: RenamedAccount): Promise<void> {
    return this.#inTurn(() => this.#renamed(account));
  }

  async #lost(targets: readonly ReportedTarget[], loss: Loss): Promise<void> {
    const { status, reason, hint, isOfNamedAccount } = loss;
    const marked = await this.#mark(targets, loss);
    if (status === "not_indexed" || marked.length === 0) return;
    const news = await this.#unreported(marked, loss);
    if (news.length === 0) return;
    for (const { target } of news) this.#back.delete(identityOf(target));
    await this.#deps.opsAlerts.raise({
      type: "target.unavailable",
      severity: "warning",
      message:
        isOfNamedAccount === true
          ? `${watchesText(news)}: nothing can be read: ${reason}`
          : unreadableText(watchesText(news), namesOf(news), reason),
      hint,
      ...aboutOf(news),
    });
  }

  async #returned(targets: readonly ReportedTarget[]): Promise<void> {
    const { store, opsAlerts } = this.#deps;
    const before = new Map(targets.map(({ target }) => [identityOf(target), target.statusReason]));
    for (const other of await this.#othersLike(targets.map(({ target }) => target))) {
      if (isLost(other) && other.statusReason === before.get(identityOf(other)))
        await store.setTargetStatus(refOf(other), "ok", "");
    }
    const news = targets.filter(({ target }) => !this.#back.has(identityOf(target)));
    if (news.length === 0) return;
    for (const { target } of news) this.#back.add(identityOf(target));
    const again = news.every(({ target }) => target.baselineAtMs === null) ? "now" : "again";
    await opsAlerts.raise({
      type: "target.available",
      severity: "info",
      message: `${watchesText(news)}: ${listText(namesOf(news))} can be read ${again}`,
      ...aboutOf(news),
    });
  }

  async #renamed({ userId, from, to, isTaken, hint }: RenamedAccount): Promise<void> {
    const { notes, opsAlerts, watches } = this.#deps;
    const handles = ((await notes.readNote(REPORTED_HANDLES_NOTE)) ?? {}) as AlertedHandles;
    const { isNew, handles: after } = isNewHandle(handles, userId, from, to);
    if (!isNew) return;
    await notes.writeNote(REPORTED_HANDLES_NOTE, after);
    const own = watches().filter(({ targets }) =>
      targets.some((target) => target.userId === userId),
    );
    const ids = own.map(({ watch }) => watch.id);
    const taken = isTaken ? `; @${from} now belongs to another account, which is not followed` : "";
    await opsAlerts.raise({
      type: "target.renamed",
      subject: to,
      ...watchOf(ids),
      severity: "info",
      message: `${listText(ids)}: @${from} was renamed to @${to} and is followed by its id${taken}`,
      hint,
      facts: { user_id: userId, from, to, watches: ids },
    });
  }

  /** Gives the targets the status of the loss. Resolves to the targets for which it is new. */
  async #mark(
    targets: readonly ReportedTarget[],
    { status, reason, isOfNamedAccount }: Loss,
  ): Promise<readonly ReportedTarget[]> {
    const { store, log } = this.#deps;
    // For an additionally named account the reason counts as well, because the target may already
    // have this status for another reason.
    const isOther = (target: TargetState) =>
      target.status !== status || (isOfNamedAccount === true && target.statusReason !== reason);
    const marked = targets.filter(({ target }) => isOther(target));
    for (const { watchId, target } of marked) {
      await store.setTargetStatus(refOf(target), status, reason);
      if (status === "not_indexed")
        log.info("account is not indexed", { watch: watchId, target: target.name });
      else
        log.warn("target cannot be read", { watch: watchId, target: target.name, status, reason });
    }
    return marked;
  }

  /**
   * Returns the targets that were not reported yet, because no other target of the same account was
   * lost earlier for the same reason.
   */
  async #unreported(
    marked: readonly ReportedTarget[],
    loss: Loss,
  ): Promise<readonly ReportedTarget[]> {
    const { status, reason, isOfNamedAccount } = loss;
    const same = marked.map(({ target }) => target);
    const others =
      isOfNamedAccount === true ? await this.#others(same) : await this.#othersLike(same);
    const known = others.filter((one) => one.status === status && one.statusReason === reason);
    const isKnown = (target: TargetState) =>
      isOfNamedAccount === true || known.some((one) => identityOf(one) === identityOf(target));
    return known.length === 0 ? marked : marked.filter(({ target }) => !isKnown(target));
  }

  /**
   * Returns the other targets of polled watches that concern the same accounts, as the state has
   * them.
   */
  async #othersLike(targets: readonly TargetState[]): Promise<readonly TargetState[]> {
    const wanted = new Set(targets.map(identityOf));
    const others = this.#polledBut(targets).filter((target) => wanted.has(identityOf(target)));
    return others.length === 0 ? [] : this.#deps.store.loadTargets(others.map(refOf));
  }

  async #others(targets: readonly TargetState[]): Promise<readonly TargetState[]> {
    return this.#deps.store.loadTargets(this.#polledBut(targets).map(refOf));
  }

  #polledBut(given: readonly TargetState[]): readonly TargetState[] {
    const names = new Set(given.map(nameOf));
    const polled = this.#deps
      .watches()
      .flatMap((planned) => (planned.paused ? [] : planned.targets));
    return polled.filter((target) => !names.has(nameOf(target)));
  }
}

const refOf = ({ watchKey, key }: TargetState) => ({ watchKey, targetKey: key });
const nameOf = ({ watchKey, key }: TargetState): string => `${watchKey}\n${key}`;

/**
 * Returns what identifies the account of a target, however its watch names the account. For a
 * target without a known account this is its key.
 */
const identityOf = ({ userId, key }: TargetState): string =>
  userId === null ? key : `id:${userId}`;

const namesOf = (targets: readonly ReportedTarget[]): readonly string[] => [
  ...new Set(targets.map(({ target }) => target.name)),
];
const watchIdsOf = (targets: readonly ReportedTarget[]): readonly string[] => [
  ...new Set(targets.map(({ watchId }) => watchId)),
];
const watchesText = (targets: readonly ReportedTarget[]): string => listText(watchIdsOf(targets));

function listText(names: readonly string[]): string {
  const rest = names.length - MAX_NAMED;
  return names.slice(0, MAX_NAMED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

/**
 * Returns the `watch` of an alert about a single watch. Several watches are named only in its
 * facts.
 */
const watchOf = (ids: readonly string[]): { readonly watch?: string } =>
  ids.length === 1 && ids[0] !== undefined ? { watch: ids[0] } : {};

function aboutOf(targets: readonly ReportedTarget[]) {
  const names = namesOf(targets);
  const ids = watchIdsOf(targets);
  const [target = ""] = names;
  return {
    subject: names.length === 1 ? target : (ids[0] ?? ""),
    ...watchOf(ids),
    facts: { ...(names.length === 1 ? { target } : { targets: names.length }), watches: ids },
  };
}

/** Returns the sentence about targets that cannot be read now, which the status page shows, too. */
export const unreadableText = (watch: string, targets: readonly string[], reason: string): string =>
  `${watch}: ${listText(targets)} cannot be read: ${reason}`;

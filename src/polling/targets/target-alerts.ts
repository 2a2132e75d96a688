/**
 * Alerts the operator that a target cannot be read, that it can be read again, or that an account
 * has another handle. Each is reported once per account, however many watches follow the account.
 * This file has the texts and remembers what was reported; the causes are found elsewhere.
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

/** A target of a watch, as it was stored before the change that is reported. */
export interface ReportedTarget {
  readonly watchId: string;
  readonly target: TargetState;
}

export interface Loss {
  readonly status: Extract<TargetStatus, "not_indexed" | "unavailable" | "misconfigured">;
  readonly reason: string;
  readonly hint: string;
  /**
   * Whether the reason concerns an account that the watch names in addition to its targets. One
   * alert for the watch is then enough.
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

/** The maximum number of names that an alert lists. */
const MAX_NAMED = 5;
const REPORTED_HANDLES_NOTE = "handles.told";

export const isLost = ({ status }: Pick<TargetState, "status">): boolean =>
  status === "unavailable" || status === "misconfigured";

/**
 * Raises the alerts. Calls run one after the other, so if two polls find the same at the same time,
 * the second sees that the first has reported it, and it is reported exactly once.
 */
export class TargetAlerts {
  readonly #deps: TargetAlertsDeps;
  readonly #inTurn = createInTurn();
  /** The accounts that were reported as readable again and could be read since. */
  readonly #back = new Set<string>();

  constructor(deps: TargetAlertsDeps) {
    this.#deps = deps;
  }

  /**
   * Marks targets that cannot be read, and alerts the operator. An unchanged status raises no
   * second alert; the status `not_indexed` raises none.
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

  /** Gives the targets the status of the loss. Resolves to those that did not have it before. */
  async #mark(
    targets: readonly ReportedTarget[],
    { status, reason, isOfNamedAccount }: Loss,
  ): Promise<readonly ReportedTarget[]> {
    const { store, log } = this.#deps;
    // If the reason concerns an account that the watch names in addition, the reasons are compared,
    // too, because the target may already have the same status for another reason.
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
   * Returns the targets of the loss that must be reported. A target is left out if another target
   * of the same account was already lost for the same reason.
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
   * Loads the stored states of all other targets, in watches that are polled, that follow the same
   * accounts.
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
 * Returns what identifies the account of a target, whatever its watch calls the account. If the
 * account is not known, this is the target's key.
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
 * Returns the `watch` of an alert, if it is about a single watch. Several watches are named only in
 * the alert's facts.
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

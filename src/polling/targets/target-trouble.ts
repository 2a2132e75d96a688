/**
 * Decides what a refused poll means for its targets: the account is not indexed, it is unavailable,
 * or the request will never succeed. It makes the requests that distinguish these cases.
 * `target-alerts.ts` alerts the operator, and the poll loop waits before the next try.
 */
import { BATCH_SIZE } from "../../model/batch.ts";
import type { JsonObject } from "../../model/json.ts";
import type { PollStore } from "../../model/poll-store.ts";
import type { TargetState, WatchStore } from "../../model/watch-store.ts";
import { type UpstreamAnswer, UpstreamError } from "../../model/upstream.ts";
import { namedIds } from "../../plan/polls/named-accounts.ts";
import type { Poll, Subscriber } from "../watch-poll.ts";
import {
  type LoadedPoll,
  loadSubscribers,
  type Reader,
  targetsOfReaders,
} from "../evaluate/load-subscribers.ts";
import { isThroughList } from "./list-check.ts";
import {
  createRefusalBackoff,
  type RefusalBackoff,
  REFUSALS_BEFORE_BELIEF,
} from "../../requests/refusal-backoff.ts";
import type { PollAftermath } from "../../model/poll-aftermath.ts";
import type { Ports } from "../../model/ports.ts";
import { askRemaining } from "../../requests/remaining-requests.ts";
import type { Rename } from "../evaluate/renames.ts";
import type { RequestGate } from "../../requests/request-gate.ts";
import { remember } from "../evaluate/target-change.ts";
import type { Loss, ReportedTarget, TargetAlerts } from "./target-alerts.ts";

export interface TargetTroubleDeps extends Pick<Ports, "clock" | "log"> {
  readonly gate: RequestGate;
  readonly store: Pick<WatchStore, "loadTargets"> & Pick<PollStore, "commitPoll">;
  readonly targetAlerts: TargetAlerts;
  /**
   * Called when a target without a baseline cannot be read, so that nothing waits for its baseline.
   */
  readonly onMissing: (watchId: string) => void;
  /**
   * Called with targets that will be read from another source from now on. Their polls must be
   * planned again.
   */
  readonly onSourceChanged: (targets: readonly TargetState[]) => void;
  /** Called when an account has another handle. */
  readonly onRenamed: (userId: string, username: string) => Promise<void>;
  /** Called when a list through which accounts are read cannot be read. */
  readonly onListLost: (listId: string) => Promise<void>;
}

/** What an answered poll shows about its targets. */
export interface TargetNews {
  /** The watched accounts that changed their handle. */
  readonly renames: readonly Rename[];
  /**
   * The targets that could not be read before and can be read now, as they were stored before this
   * poll.
   */
  readonly returned: readonly ReportedTarget[];
  /** The subscribers whose record was missing from the answer of a batch. */
  readonly absent: readonly Subscriber[];
  /**
   * The subscribers whose entry in a batch the service refuses, by the text of the refusal. The
   * batch continues without them.
   */
  readonly refused: ReadonlyMap<string, readonly Subscriber[]>;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export class TargetTrouble {
  readonly #deps: TargetTroubleDeps;
  readonly #backoff: RefusalBackoff;

  constructor(deps: TargetTroubleDeps) {
    this.#deps = deps;
    this.#backoff = createRefusalBackoff(deps.clock);
  }

  /** Handles a 400, 403 or 404 of a poll. */
  async handleRefusal(poll: Poll, error: UpstreamError): Promise<PollAftermath> {
    if (error.kind === "bad_request") {
      await this.#mark(poll, {
        status: "misconfigured",
        reason: refusalOf(error.message),
        hint: CORRECT,
      });
      return this.#notBefore(poll, DAY_MS);
    }
    if (error.kind === "forbidden" && !(await isGateOpen(this.#deps.gate)))
      return this.#notBefore(poll, HOUR_MS);
    return this.#handleNotFound(poll);
  }

  async follow(poll: Poll, { renames, returned, absent, refused }: TargetNews): Promise<void> {
    if (renames.length > 0) await this.#handleRenames(poll, renames);
    if (returned.length > 0) await this.#deps.targetAlerts.back(returned);
    if (absent.length > 0) await this.#handleAbsent(poll, absent);
    for (const [words, subscribers] of refused)
      await this.#mark(
        { ...poll, subscribers },
        { status: "misconfigured", reason: refusalOf(words), hint: CORRECT },
      );
  }

  /**
   * Reports targets that cannot be read because a handle belongs to no account. It is the target's
   * own handle, or one that the watch names in addition to its targets.
   */
  reportMissing(targets: readonly ReportedTarget[], loss: Omit<Loss, "status">): Promise<void> {
    return this.#report(targets, { ...loss, status: "unavailable" });
  }

  /**
   * Reports the renames of accounts. The accounts are still followed by their ids. If another
   * account has taken an old handle, it is not followed, and the report says so.
   */
  async #handleRenames(poll: Poll, renames: readonly Rename[]): Promise<void> {
    const handles = [
      ...new Set(renames.flatMap(({ from }) => (from === null ? [] : [from.toLowerCase()]))),
    ];
    const holders =
      (await this.#ask(poll, "info-batch", { usernames: handles.slice(0, BATCH_SIZE) }))?.users ??
      [];
    for (const { target, from, to } of renames) {
      const { userId } = target;
      if (from === null || userId === null) continue;
      const holder = holders.find(({ username }) => username.toLowerCase() === from.toLowerCase());
      const isTaken = holder !== undefined && holder.id !== userId;
      const hint = `Nothing is missed. Write "id:${userId}" in the watch, so that the handle does not matter.`;
      await this.#deps.targetAlerts.renamed({ userId, from, to, isTaken, hint });
      await this.#deps.onRenamed(userId, to);
    }
  }

  /**
   * Handles subscribers whose record is missing from the answer of a batch. Their accounts are
   * looked up, with one request for each account, only if the account was not missing before.
   * Records of other kinds are reported as gone.
   */
  async #handleAbsent(planned: Poll, absent: readonly Subscriber[]): Promise<void> {
    const loaded = await loadSubscribers(this.#deps.store, { ...planned, subscribers: absent });
    const missing = new Map<string, Subscriber[]>();
    try {
      await this.#sortByFate(loaded, missing);
    } finally {
      for (const [reason, subscribers] of missing) {
        const hint = reason === UNKNOWN ? CHECK_ID : AGAIN_WITH_THE_REST;
        await this.#mark({ ...loaded.poll, subscribers }, { status: "unavailable", reason, hint });
      }
    }
  }

  /**
   * Handles a 404, or a 403 that does not concern the key. The cause may be a list through which
   * accounts are read, an account, or an index that does not have the account.
   */
  async #handleNotFound(asked: Poll): Promise<PollAftermath> {
    const { clock, store, onListLost } = this.#deps;
    const listId = asked.source.params["list_id"];
    const isList =
      typeof listId === "string" && asked.subscribers.some(({ author }) => author !== undefined);
    if (
      isList &&
      this.#isDoubted(asked) &&
      isThroughList(targetsOfReaders((await loadSubscribers(store, asked)).readers))
    )
      return { retryAtMs: clock.now() + this.#backoff.recordRefusal(asked, HOUR_MS) };
    if (isList) await onListLost(listId);
    const planned = isList
      ? { ...asked, subscribers: asked.subscribers.filter(({ author }) => author === undefined) }
      : asked;
    if (planned.subscribers.length === 0) return { notBeforeMs: clock.now() + HOUR_MS };
    const loaded = await loadSubscribers(store, planned);
    const userId = loaded.readers[0]?.target.userId ?? null;
    if (userId !== null) return this.#handleLostAccount(planned, loaded, userId);
    await this.#mark(loaded.poll, {
      status: "unavailable",
      reason: "the service does not know it (404)",
      hint: CHECK_ID,
    });
    return this.#notBefore(planned, HOUR_MS);
  }

  async #handleLostAccount(
    planned: Poll,
    { poll, readers }: LoadedPoll,
    userId: string,
  ): Promise<PollAftermath> {
    const wantsIndex = readers.some(
      ({ subscriber: { type, watch }, target }) =>
        type.needsIndex?.(watch.settings, target) ?? false,
    );
    // If the index showed the account before, one refusal is not believed. Only several in a row
    // mean that the index has dropped it.
    const wasShown = readers.some(({ target }) => target.baselineAtMs !== null);
    if (wantsIndex && wasShown && this.#isDoubted(planned))
      return this.#notBefore(planned, HOUR_MS);
    if (wantsIndex && (await this.#ask(poll, "info", { user_id: userId })) !== undefined)
      return this.#handleNotIndexed(poll, readers);
    const isKnown = readers.every(({ target }) => target.status === "unavailable");
    if (!isKnown) await this.#markGone(poll, userId);
    return this.#notBefore(planned, HOUR_MS);
  }

  async #handleNotIndexed(poll: Poll, readers: readonly Reader[]): Promise<PollAftermath> {
    const { clock, store, log, onSourceChanged } = this.#deps;
    const changed: TargetState[] = [];
    for (const { subscriber, target } of readers) {
      const patch = subscriber.type.withoutIndex?.(subscriber.watch.settings);
      if (patch === undefined) continue;
      const written = await remember(store, target, patch, clock.now());
      if (written !== undefined) changed.push(written);
    }
    if (changed.length > 0) {
      log.info("account is not indexed, its whole list is read instead", {
        targets: changed.map(({ name }) => name),
      });
      onSourceChanged(changed);
      return {};
    }
    await this.#mark(poll, {
      status: "not_indexed",
      reason: "the service has not indexed this account",
      hint: "",
    });
    return { notBeforeMs: clock.now() + HOUR_MS, isAnswer: true };
  }

  async #markGone(poll: Poll, userId: string): Promise<void> {
    const named = await this.#goneAmongNamed(poll);
    const lost = { status: "unavailable", hint: AGAIN_HOURLY } as const;
    if (named === undefined)
      await this.#mark(poll, { ...lost, reason: await this.#fateOf(poll, userId) });
    else
      await this.#mark(poll, {
        ...lost,
        reason: `${named}, which the watch asks about, is deleted or suspended`,
        isOfNamedAccount: true,
      });
  }

  /**
   * Returns the name of the first deleted or suspended account among those that a watch names in
   * addition to its targets; undefined if there is none. The watch is that of the poll's first
   * subscriber.
   */
  async #goneAmongNamed(poll: Poll): Promise<string | undefined> {
    const [first] = poll.subscribers;
    for (const { id, name } of first === undefined ? [] : namedIds(first.watch, first.type))
      if (await this.#isGone(poll, id)) return name;
    return undefined;
  }

  /**
   * Adds subscribers to `missing`, by the reason why their target cannot be read. Targets that were
   * known to be unavailable before are left out.
   */
  async #sortByFate(
    { poll, readers }: LoadedPoll,
    missing: Map<string, Subscriber[]>,
  ): Promise<void> {
    const fates = new Map<string, string>();
    for (const { subscriber, target } of readers) {
      if (target.status === "unavailable") continue;
      const { userId } = target;
      const own = { ...poll, subscribers: [subscriber] };
      const reason =
        userId === null ? UNKNOWN : (fates.get(userId) ?? (await this.#fateOf(own, userId)));
      if (userId !== null) fates.set(userId, reason);
      missing.set(reason, [...(missing.get(reason) ?? []), subscriber]);
    }
  }

  /** Returns a text that says why an account cannot be read. */
  async #fateOf(poll: Poll, userId: string): Promise<string> {
    if (await this.#isGone(poll, userId)) return "the account is deleted or suspended";
    const profile = (await this.#ask(poll, "info", { user_id: userId }))?.record;
    if (profile?.["protected"] === true) return "the account is protected now";
    return profile === undefined
      ? "the account exists but is protected or suspended"
      : "the account exists, but this part of it cannot be read";
  }

  /** Whether the account was deleted or suspended. */
  async #isGone(poll: Poll, userId: string): Promise<boolean> {
    return (await this.#ask(poll, "id-to-username", { user_id: userId })) === undefined;
  }

  /** Makes a request on behalf of a poll; resolves to undefined for a 404. */
  async #ask(
    poll: Poll,
    endpoint: string,
    params: JsonObject,
  ): Promise<UpstreamAnswer | undefined> {
    const watch = poll.subscribers[0]?.watch.id ?? "";
    const asked = {
      endpoint,
      params,
      source: `ask:${poll.key}`,
      watch,
      priority: poll.priority,
      purpose: "poll",
    } as const;
    return this.#deps.gate.request(asked).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.kind === "not_found") return undefined;
      throw error;
    });
  }

  /**
   * Reports the targets of all subscribers in `planned` as lost. To report only some, the caller
   * passes the poll with only those subscribers.
   */
  async #mark(planned: Poll, loss: Loss): Promise<void> {
    const { readers } = await loadSubscribers(this.#deps.store, planned);
    await this.#report(
      readers.map(({ subscriber, target }) => ({ watchId: subscriber.watch.id, target })),
      loss,
    );
  }

  async #report(targets: readonly ReportedTarget[], loss: Loss): Promise<void> {
    for (const { watchId, target } of targets)
      if (target.baselineAtMs === null && target.status !== loss.status)
        this.#deps.onMissing(watchId);
    await this.#deps.targetAlerts.lost(targets, loss);
  }

  /** Whether a refusal is not believed yet, because there were too few in a row. */
  #isDoubted(poll: Poll): boolean {
    return this.#backoff.refusalsInRow(poll) < REFUSALS_BEFORE_BELIEF;
  }

  #notBefore(poll: Poll, steadyMs: number): PollAftermath {
    return { notBeforeMs: this.#deps.clock.now() + this.#backoff.recordRefusal(poll, steadyMs) };
  }
}

/**
 * Sends a free request to find out whether a 403 concerns the key: if it does, this request fails
 * as well.
 */
const isGateOpen = (gate: RequestGate): Promise<boolean> =>
  askRemaining(gate).then(
    () => true,
    () => false,
  );

const CORRECT = "Correct the watch, then reload.";
const UNKNOWN = "the service does not know it";
const CHECK_ID = "Check the id or link in the watch.";
const AGAIN_HOURLY = "It is tried once an hour and continues by itself when it is back.";
const AGAIN_WITH_THE_REST = "Every poll asks for it, and it continues by itself when it is back.";

const refusalOf = (words: string): string => `the service refuses the request: ${words}`;

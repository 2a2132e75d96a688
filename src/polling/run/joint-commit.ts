/**
 * Commits what was read for several polls together in one transaction, so that all their events
 * together are created and sent oldest first. If the state of one of the polls was changed
 * meanwhile, each is committed by itself.
 */
import type { CommitResult, PollCommit, PollStore } from "../../model/poll-store.ts";
import { byAgeOfEvents } from "../evaluate/verdicts.ts";

type CommitStore = Pick<PollStore, "commitPoll">;

interface Waiting {
  readonly commit: PollCommit;
  readonly resolve: (result: CommitResult) => void;
  readonly reject: (error: unknown) => void;
}

export class JointCommit {
  readonly #store: CommitStore;
  #waiting: Waiting[] = [];
  /** How many polls have neither made their first commit nor ended without one. */
  #left: number;

  constructor(store: CommitStore, polls: number) {
    this.#store = store;
    this.#left = polls;
  }

  /**
   * Runs one of the polls. Its first commit waits for the first commits of the others. A commit
   * after a conflict does not wait.
   */
  async run<Result>(work: (store: CommitStore) => Promise<Result>): Promise<Result> {
    let isLeft = true;
    const leave = () => {
      if (isLeft) this.#left -= 1;
      isLeft = false;
    };
    const commitPoll = (commit: PollCommit): Promise<CommitResult> => {
      if (!isLeft) return this.#store.commitPoll(commit);
      leave();
      return new Promise((resolve, reject) => {
        this.#waiting.push({ commit, resolve, reject });
        this.#commitOnceAllAreThere();
      });
    };
    try {
      return await work({ commitPoll });
    } finally {
      leave();
      this.#commitOnceAllAreThere();
    }
  }

  #commitOnceAllAreThere(): void {
    if (this.#left > 0) return;
    const all = this.#waiting;
    this.#waiting = [];
    if (all.length > 0) void this.#commitAll(all);
  }

  async #commitAll(all: readonly Waiting[]): Promise<void> {
    try {
      const [one, ...others] = all.map(({ commit }) => commit);
      const result =
        one === undefined || others.length === 0
          ? undefined
          : await this.#store.commitPoll(joinCommits(one, others));
      if (result?.status === "committed")
        for (const { commit, resolve } of all)
          resolve({ status: "committed", created: ownOf(commit, result.created) });
      else for (const { commit, resolve } of all) resolve(await this.#store.commitPoll(commit));
    } catch (error) {
      for (const { reject } of all) reject(error);
    }
  }
}

const ownOf = ({ events }: PollCommit, created: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(events.flatMap(({ id }) => (created.has(id) ? [id] : [])));

/** Joins several commits to one. */
function joinCommits(first: PollCommit, others: readonly PollCommit[]): PollCommit {
  const all = [first, ...others];
  const events = all.flatMap((commit) => commit.events).sort(byAgeOfEvents);
  const placeOf = new Map(events.map(({ id }, place) => [id, place]));
  const inOrder = <Of extends { readonly eventId: string }>(some: readonly Of[]): readonly Of[] =>
    some.toSorted((a, b) => (placeOf.get(a.eventId) ?? 0) - (placeOf.get(b.eventId) ?? 0));
  const rechecks = all.flatMap((commit) => commit.rechecks ?? []);
  return {
    atMs: Math.max(...all.map(({ atMs }) => atMs)),
    sources: all.flatMap(({ source, sources = [] }) => [
      ...(source === undefined ? [] : [source]),
      ...sources,
    ]),
    targets: all.flatMap(({ targets }) => targets),
    verdicts: all.flatMap(({ verdicts }) => verdicts),
    members: all.flatMap(({ members = [] }) => members),
    ...(rechecks.length === 0
      ? {}
      : {
          rechecks: {
            rechecks: rechecks.flatMap((one) => one.rechecks),
            ended: rechecks.flatMap(({ ended }) => ended),
            late: rechecks.flatMap(({ late }) => late),
          },
        }),
    ...(all.some(({ edits }) => edits !== undefined)
      ? { edits: all.flatMap(({ edits = [] }) => edits) }
      : {}),
    levels: all.flatMap(({ levels = [] }) => levels),
    events,
    deliveries: inOrder(all.flatMap(({ deliveries }) => deliveries)),
    enrichments: inOrder(all.flatMap(({ enrichments = [] }) => enrichments)),
    archive: all.flatMap(({ archive = [] }) => archive),
  };
}

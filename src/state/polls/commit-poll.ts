/**
 * Commits the result of a poll in one transaction: what the source and the targets remember, the
 * matcher's verdicts, events and their deliveries. All events are created here, except those that
 * `history/marks.ts` creates about marks.
 */
import { type EncodedReads, insertArchived } from "../archive/archive.ts";
import { wantEdits } from "../history/edits.ts";
import type { CommitResult, PollCommit, SourceChange } from "../../model/poll-store.ts";
import { insertDeliveries, scopesOfDeliveries } from "../outbox/insert-deliveries.ts";
import { insertEnrichments } from "./enrichments.ts";
import { insertEvents } from "../items/insert-events.ts";
import { insertVerdicts } from "../items/insert-verdicts.ts";
import { applyLevelSteps } from "../outbox/level-steps.ts";
import { applyRechecks } from "../items/rechecks.ts";
import { applyMembers } from "../items/members.ts";
import { type Texts, toText } from "../db/json-text.ts";
import { EDITS, scopeOfSink, scopeOfSource, scopeOfWatch } from "../db/scopes.ts";
import type { Settlements } from "../ledger/settlements.ts";
import { type Executor, insertRows, statement } from "../db/statement.ts";
import { TargetRevisions } from "../watches/target-revisions.ts";

/** Thrown to roll the transaction back if a row was changed since it was read. */
class Conflict extends Error {}

/**
 * Commits a poll. A commit with deliveries does not wait for the disk: the transaction that seals
 * their messages follows and waits for both, before anything is sent. If the machine loses its
 * power in between, the next poll finds the same news again. `archived` are the commit's reads for
 * the archive.
 */
export async function commitPoll(
  settlements: Settlements,
  commit: PollCommit,
  archived: EncodedReads,
): Promise<CommitResult> {
  try {
    return {
      status: "committed",
      created: await settlements.transact(
        async (on) => {
          const created = await apply(on, commit, archived.texts);
          await insertArchived(on, archived.rows);
          return created;
        },
        scopesOf(commit),
        { isSynced: commit.deliveries.length === 0 },
      ),
    };
  } catch (error) {
    if (error instanceof Conflict) return { status: "conflict" };
    throw error;
  }
}

const sourcesOf = ({ source, sources = [] }: PollCommit): readonly SourceChange[] => [
  ...(source === undefined ? [] : [source]),
  ...sources,
];

/**
 * Returns the scopes of a commit: the sources and watches whose rows it reads and changes, and the
 * sinks at which its deliveries join others.
 */
function scopesOf(commit: PollCommit): readonly string[] {
  const {
    targets,
    verdicts,
    members = [],
    rechecks,
    events,
    deliveries,
    enrichments = [],
    edits,
    levels = [],
  } = commit;
  const ofRechecks =
    rechecks === undefined ? [] : [...rechecks.rechecks, ...rechecks.ended, ...rechecks.late];
  const watched = [targets, verdicts, members, ofRechecks, events, enrichments].flat();
  return [
    ...sourcesOf(commit).map(({ fingerprint }) => scopeOfSource(fingerprint)),
    ...watched.map(({ watchKey }) => scopeOfWatch(watchKey)),
    ...scopesOfDeliveries(deliveries),
    ...levels.map(({ sink }) => scopeOfSink(sink)),
    ...(edits === undefined ? [] : [EDITS]),
  ];
}

async function apply(on: Executor, commit: PollCommit, texts: Texts): Promise<ReadonlySet<string>> {
  for (const source of sourcesOf(commit))
    if (!(await applySource(on, source))) throw new Conflict();
  const targets = new TargetRevisions(on);
  for (const change of commit.targets) if (!(await targets.apply(change))) throw new Conflict();
  if (!(await insertVerdicts(on, targets, commit.verdicts, commit.atMs))) throw new Conflict();
  if (!(await applyMembers(on, targets, commit.members ?? []))) throw new Conflict();
  if (commit.rechecks !== undefined && !(await applyRechecks(on, targets, commit.rechecks)))
    throw new Conflict();
  const created = await insertEvents(on, commit.events, texts);
  if (!(await applyLevelSteps(on, commit.levels ?? []))) throw new Conflict();
  await insertDeliveries(
    on,
    commit.deliveries.filter((delivery) => created.has(delivery.eventId)),
    commit.atMs,
  );
  await insertEnrichments(
    on,
    (commit.enrichments ?? []).filter(({ eventId }) => created.has(eventId)),
    commit.atMs,
  );
  if (commit.edits !== undefined) await wantEdits(on, commit.edits);
  return created;
}

interface SourceUpdate {
  readonly fingerprint: string;
  readonly expected: number;
  readonly memory: string | null;
  readonly step: number;
  readonly polledAt: number;
  readonly okAt: number | null;
}

const updateSource = statement<SourceUpdate>()((on, slot) =>
  on
    .updateTable("sources")
    .set((eb) => ({
      memory: eb.fn.coalesce(eb.val(slot("memory")), "memory"),
      revision: eb("revision", "+", slot("step")),
      last_poll_at: slot("polledAt"),
      last_ok_at: eb.fn.coalesce(eb.val(slot("okAt")), "last_ok_at"),
    }))
    .where("fingerprint", "=", slot("fingerprint"))
    .where("revision", "=", slot("expected")),
);

const insertSource = insertRows(
  "sources",
  ["fingerprint", "memory", "revision", "last_poll_at", "last_ok_at"],
  (insert) => insert.onConflict((conflict) => conflict.column("fingerprint").doNothing()),
);

/** Applies the change of a source. Returns false if the source was changed since it was read. */
async function applySource(on: Executor, change: SourceChange): Promise<boolean> {
  const { fingerprint, expectedRevision: expected, polledAtMs: polledAt } = change;
  const memory = change.memory === undefined ? null : toText(change.memory);
  const okAt = change.ok ? polledAt : null;
  const step = memory === null ? 0 : 1;
  const updated = await updateSource(on, { fingerprint, expected, memory, step, polledAt, okAt });
  if (updated.changed > 0) return true;
  if (expected > 0) return false;
  const row = {
    fingerprint,
    memory: memory ?? "{}",
    revision: step,
    last_poll_at: polledAt,
    last_ok_at: okAt,
  };
  return (await insertSource(on, [row])).changed > 0;
}

/**
 * Migrates a state to this build's schema: lists the migrations, and refuses a state that a newer
 * build has written.
 */
import { type Migration, Migrator } from "kysely";
import { errorText } from "../../model/errors.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import { up as initial } from "./0001-initial.ts";
import { up as members } from "./0002-members.ts";
import { up as keys } from "./0003-keys.ts";
import { up as rechecks } from "./0004-rechecks.ts";
import { up as doneMessages } from "./0005-done-messages.ts";
import { up as sinkFailures } from "./0006-sink-failures.ts";
import { up as digests } from "./0007-digests.ts";
import { up as namedAccounts } from "./0008-named-accounts.ts";
import { up as deadLetters } from "./0009-dead-letters.ts";
import { up as crossposts } from "./0010-crossposts.ts";
import { up as heldBy } from "./0011-held-by.ts";
import { up as away } from "./0012-away.ts";
import { up as learned } from "./0013-learned.ts";
import { up as silences } from "./0014-silences.ts";
import { up as attempts } from "./0015-attempts.ts";
import { up as backfills } from "./0016-backfills.ts";
import { up as enrichments } from "./0017-enrichments.ts";
import { up as tweetVersions } from "./0018-tweet-versions.ts";
import { up as goneSinks } from "./0019-gone-sinks.ts";
import { up as mentions } from "./0020-mentions.ts";
import { up as threads } from "./0021-threads.ts";
import { up as templates } from "./0022-templates.ts";
import { up as edits } from "./0023-edits.ts";
import { up as levels } from "./0024-levels.ts";
import { up as paths } from "./0025-paths.ts";
import { up as sealedFor } from "./0026-sealed-for.ts";
import { up as backfilledEnrichments } from "./0027-backfilled-enrichments.ts";
import { up as replicas } from "./0028-replicas.ts";
import { up as configRevisions } from "./0029-config-revisions.ts";
import { up as serverSequences } from "./0030-server-sequences.ts";
import { up as groupIntervals } from "./0031-group-intervals.ts";
import { up as furtherPages } from "./0032-further-pages.ts";
import { up as followUps } from "./0033-follow-ups.ts";
import { up as decodedTexts } from "./0034-decoded-texts.ts";
import { up as partlyTaken } from "./0035-partly-taken.ts";
import { up as heldMessages } from "./0036-held-messages.ts";
import { up as lastRepeats } from "./0037-last-repeats.ts";
import { up as watchHours } from "./0038-watch-hours.ts";
import { up as watchHoursByHour } from "./0039-watch-hours-by-hour.ts";
import { up as takenAlerts } from "./0040-taken-alerts.ts";
import { up as eventMarks } from "./0041-event-marks.ts";
import { up as messageFooters } from "./0042-message-footers.ts";
import { up as archive } from "./0043-archive.ts";
import { up as escalations } from "./0044-escalations.ts";
import { up as clicks } from "./0045-clicks.ts";
import { up as snoozes } from "./0046-snoozes.ts";
import type { Executor } from "../db/statement.ts";

/** The migrations in their order. A released one never changes. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  "0001-initial": { up: initial },
  "0002-members": { up: members },
  "0003-keys": { up: keys },
  "0004-rechecks": { up: rechecks },
  "0005-done-messages": { up: doneMessages },
  "0006-sink-failures": { up: sinkFailures },
  "0007-digests": { up: digests },
  "0008-named-accounts": { up: namedAccounts },
  "0009-dead-letters": { up: deadLetters },
  "0010-crossposts": { up: crossposts },
  "0011-held-by": { up: heldBy },
  "0012-away": { up: away },
  "0013-learned": { up: learned },
  "0014-silences": { up: silences },
  "0015-attempts": { up: attempts },
  "0016-backfills": { up: backfills },
  "0017-enrichments": { up: enrichments },
  "0018-tweet-versions": { up: tweetVersions },
  "0019-gone-sinks": { up: goneSinks },
  "0020-mentions": { up: mentions },
  "0021-threads": { up: threads },
  "0022-templates": { up: templates },
  "0023-edits": { up: edits },
  "0024-levels": { up: levels },
  "0025-paths": { up: paths },
  "0026-sealed-for": { up: sealedFor },
  "0027-backfilled-enrichments": { up: backfilledEnrichments },
  "0028-replicas": { up: replicas },
  "0029-config-revisions": { up: configRevisions },
  "0030-server-sequences": { up: serverSequences },
  "0031-group-intervals": { up: groupIntervals },
  "0032-further-pages": { up: furtherPages },
  "0033-follow-ups": { up: followUps },
  "0034-decoded-texts": { up: decodedTexts },
  "0035-partly-taken": { up: partlyTaken },
  "0036-held-messages": { up: heldMessages },
  "0037-last-repeats": { up: lastRepeats },
  "0038-watch-hours": { up: watchHours },
  "0039-watch-hours-by-hour": { up: watchHoursByHour },
  "0040-taken-alerts": { up: takenAlerts },
  "0041-event-marks": { up: eventMarks },
  "0042-message-footers": { up: messageFooters },
  "0043-archive": { up: archive },
  "0044-escalations": { up: escalations },
  "0045-clicks": { up: clicks },
  "0046-snoozes": { up: snoozes },
};

/** Returns the schema number in a backup's name, such as `0001`; `0000` for an empty file. */
export const schemaNumber = (applied: readonly string[]): string =>
  (applied.at(-1) ?? "0000").slice(0, 4);

/**
 * The name of a state in messages, and how an operator restores the state from before an upgrade.
 */
interface MigratedState {
  readonly name: string;
  readonly restore: string;
}

export const migratedState = {
  file: (path: string): MigratedState => ({
    name: `The state file ${path}`,
    restore: "the backup made before the upgrade with `chirpwatch state restore`",
  }),
  server: (address: string): MigratedState => ({
    name: `The state in ${address}`,
    restore: "a dump from before the upgrade with pg_restore",
  }),
} as const;

/**
 * Returns the migrations that are still to run. @throws ExitError if a newer build has written the
 * state
 */
export function pendingMigrations(
  applied: readonly string[],
  state: MigratedState,
  known = MIGRATIONS,
): readonly string[] {
  const names = Object.keys(known);
  const newer = applied.filter((name) => !names.includes(name));
  if (newer.length === 0) return names.filter((name) => !applied.includes(name));
  throw new ExitError(
    EXIT.storage,
    "STATE_NEWER_SCHEMA",
    `${state.name} has schema ${newer.at(-1)}, but this build knows only up to ${names.at(-1)}.`,
    { hint: `Start the newer chirpwatch again, or restore ${state.restore}.` },
  );
}

/**
 * Runs the pending migrations in one transaction. @throws the error of the migration that failed,
 * after all migrations were rolled back
 */
export async function migrate(db: Executor, known = MIGRATIONS): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...known }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error instanceof Error ? error : new Error(errorText(error));
}

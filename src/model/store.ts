/**
 * The port of the state, in coarse operations: each method is one transaction. state/ implements
 * it. All times are epoch ms, ids are text.
 */
import type { ReportStore } from "./report.ts";
import type { ArchiveStore } from "./archive.ts";
import type { DayStore } from "./days.ts";
import type { BackfillStore } from "./backfill.ts";
import type { ConfigRevisionStore } from "./config-revisions.ts";
import type { CrosspostStore } from "./crosspost.ts";
import type { DeadLetters } from "./dead-letters.ts";
import type { EditStore } from "./edit.ts";
import type { EnrichmentStore } from "./enrichment.ts";
import type { EscalationStore } from "./escalation.ts";
import type { FooterStore } from "./footer.ts";
import type { History } from "./history.ts";
import type { Json } from "./json.ts";
import type { LearnedStore } from "./learned.ts";
import type { LevelStore } from "./level.ts";
import type { Ledger } from "./ledger.ts";
import type { ClickStore } from "./clicks.ts";
import type { MarkStore } from "./marks.ts";
import type { Outbox } from "./outbox.ts";
import type { PollStore } from "./poll-store.ts";
import type { RecheckStore } from "./recheck.ts";
import type { ReplayStore } from "./replay.ts";
import type { ReplicaStore } from "./replicas.ts";
import type { SilenceStore } from "./silence.ts";
import type { VolumeStore } from "./volume-store.ts";
import type { WaitsStore } from "./waits.ts";
import type { WatchStore } from "./watch-store.ts";

export interface Notes {
  readNote(name: string): Promise<Json | null>;
  writeNote(name: string, value: Json): Promise<void>;
}

/**
 * The name of the note with the time (epoch ms) that a running daemon saw last. `setTimesBack`
 * adjusts this time together with the others.
 */
export const CLOCK_SEEN_NOTE = "clock.seen";

export interface Upkeep {
  /**
   * Deletes old data: verdicts on tweets, sent messages, events and ledger rows that are older than
   * the retention; watches that were removed 30 days ago, with their notes; and the memory of
   * sources that were not polled within the retention and are not in `inUse` (fingerprints). Never
   * deletes what waits to be sent. Between pages of rows it awaits `pause`, which lets the process
   * do other work, and may throw to end the deletion early.
   */
  prune(
    nowMs: number,
    retentionMs: number,
    inUse: ReadonlySet<string>,
    pause?: () => Promise<void>,
  ): Promise<void>;
  /**
   * Adjusts stored times after the clock was set back, so that items count as news from the same
   * moment as before, and nothing in the outbox waits longer than it would have.
   */
  setTimesBack(byMs: number): Promise<void>;
  /**
   * Writes something durable, for /healthz and the disk-full probe.
   * @throws StoreError if it cannot be written
   */
  proveWritable(nowMs: number): Promise<void>;
  /**
   * Acquires and releases the lock of a write, which costs no disk access.
   * @throws StoreError while another process holds it
   */
  proveUnlocked(): Promise<void>;
}

export interface Store
  extends WatchStore,
    PollStore,
    RecheckStore,
    VolumeStore,
    Ledger,
    Outbox,
    WaitsStore,
    CrosspostStore,
    EditStore,
    FooterStore,
    ClickStore,
    DeadLetters,
    SilenceStore,
    MarkStore,
    EscalationStore,
    EnrichmentStore,
    ReplayStore,
    ReplicaStore,
    ConfigRevisionStore,
    BackfillStore,
    ArchiveStore,
    LevelStore,
    History,
    Notes,
    ReportStore,
    DayStore,
    LearnedStore,
    Upkeep {
  close(): Promise<void>;
}

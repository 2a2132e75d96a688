/**
 * The share of one replica, kept in step with the state. The leader shares out the work; every
 * replica watches what it holds. When it is to hand something over, its work ends, everything it
 * may lose is handed over, and its work begins again with the rest: nothing that was kept in memory
 * about work of others outlives that.
 */
import { repeat } from "../../engine/health/repeat.ts";
import { type Clock, sleep } from "../../model/clock.ts";
import { createInTurn } from "../../model/in-turn.ts";
import type { Log } from "../../model/log.ts";
import type {
  ChangedWatches,
  Membership,
  ReplicaState,
  ReplicaStore,
  Share,
  ShareNews,
  Work,
  WorkClaim,
  WorkKind,
} from "../../model/replicas.ts";
import { shareOut } from "../../plan/share-out.ts";

export interface FleetDeps {
  readonly store: ReplicaStore;
  readonly membership: Membership;
  readonly clock: Clock;
  readonly log: Log;
  /** Digest of the active configuration, and the version of the planner. */
  readonly plansBy: () => string;
}

/** What follows from changes. All are awaited: nothing else of the fleet goes on meanwhile. */
export interface FleetWork {
  /**
   * Claims or configurations of replicas changed. `isOther`: this one has other work than it took
   * over last.
   */
  shareChanged(isOther: boolean): Promise<void>;
  /** Others called `announce`; all may have changed where this replica leads now. */
  stateChanged(watches: ChangedWatches): Promise<void>;
  /**
   * There are new deliveries, or events that wait for their enrichment, perhaps of other replicas.
   */
  delivered(): void;
  /**
   * Ends the work of this replica, where it has not ended, and begins it again; `between` is called
   * while it does nothing.
   */
  restart(between: () => Promise<void>): Promise<void>;
}

const WATCH_EVERY_MS = 100;
/** After work that could not begin again. */
const RETRY_MS = 1_000;
/**
 * By then the work of the leader before is shared out, which cannot wait for a new leader to read
 * all watches.
 */
const READ_AGAIN_AFTER_MS = 1_000;

export class Fleet implements Share {
  readonly isAlone = false;
  readonly #deps: FleetDeps;
  readonly #inTurn = createInTurn();
  readonly #work = new Map<WorkKind, readonly Work[]>();
  #held: ReadonlySet<string> = new Set();
  /** What its work took over last. */
  #taken: ReadonlySet<string> = new Set();
  #news: ShareNews = { revision: -1, announcements: -1, arrivals: 0 };
  #isLeading: boolean;
  /** Replicas and their configurations, as the work was shared out last. */
  #sharedBy = "";
  /** The work is other than it was then. */
  #mustShareOut = false;
  #config = "";
  /** It leads since a moment ago, and reads all again at that time, monotonic. */
  #readsAgainAtMs: number | undefined;
  /** Its work has ended, and has not begun again. */
  #mustRestart = false;
  /** The state could not be written. */
  #mustAnnounce = false;
  #turns = 0;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#isLeading = deps.membership.isLeading();
  }

  /** Before the work begins. */
  async join(): Promise<void> {
    await this.#publishConfig();
    await this.#begin();
  }

  /** How often it has watched its share. */
  get turns(): number {
    return this.#turns;
  }

  /** Returns what ends it, which waits for what is under way. */
  start(work: FleetWork): () => Promise<void> {
    const { clock, log } = this.#deps;
    let turn = Promise.resolve();
    const stop = repeat({
      clock,
      everyMs: WATCH_EVERY_MS,
      work: () => {
        this.#turns += 1;
        return (turn = this.#watch(work));
      },
      onError: (error) => log.debug("the share of this replica could not be read", { error }),
    });
    return async () => {
      stop();
      await turn.catch(() => undefined);
    };
  }

  isLeading(): boolean {
    return this.#isLeading;
  }

  holds(kind: WorkKind, key: string): boolean {
    return this.#held.has(nameOf({ kind, key }));
  }

  async submit(kind: WorkKind, work: readonly Omit<Work, "kind">[]): Promise<void> {
    const before = this.#work.get(kind) ?? [];
    const isSame =
      before.length === work.length &&
      work.every(({ key, cost }, at) => key === before[at]?.key && cost === before[at]?.cost);
    this.#mustShareOut ||= !isSame;
    this.#work.set(
      kind,
      work.map((one) => ({ ...one, kind })),
    );
    if (this.#isLeading && this.#mustShareOut) await this.#shareOut();
  }

  mayAct(): Promise<boolean> {
    return this.#deps.membership.isPresent();
  }

  async announce(watches: ChangedWatches): Promise<void> {
    this.#mustAnnounce = true;
    const announcements = await this.#deps.store.announce(watches);
    this.#mustAnnounce = false;
    // It knows what it announced itself.
    if (announcements === this.#news.announcements + 1)
      this.#news = { ...this.#news, announcements };
  }

  async #watch(work: FleetWork): Promise<void> {
    const { store, membership } = this.#deps;
    if (this.#mustRestart) return this.#restart(work);
    await this.#publishConfig();
    if (this.#mustAnnounce) await this.announce("all");
    const wasLeading = this.#isLeading;
    const isLeading = membership.isLeading();
    if (wasLeading && !isLeading) return this.#restart(work);
    this.#isLeading = isLeading;
    if (isLeading && !wasLeading)
      this.#readsAgainAtMs ??= this.#deps.clock.monotonic() + READ_AGAIN_AFTER_MS;
    if (isLeading && !wasLeading) await this.#takeOverWork();
    if (isLeading) await this.#shareOutAgain();
    const news = await store.shareNews();
    if (news.revision !== this.#news.revision) {
      if (await this.#readHeld()) return this.#restart(work);
      await work.shareChanged(!isSame(this.#held, this.#taken));
      this.#taken = this.#held;
    }
    if (this.#deps.clock.monotonic() >= (this.#readsAgainAtMs ?? Number.POSITIVE_INFINITY)) {
      await work.stateChanged("all");
      this.#readsAgainAtMs = undefined;
    } else if (news.announcements !== this.#news.announcements)
      await work.stateChanged(await store.announced(this.#news.announcements, news.announcements));
    if (news.arrivals !== this.#news.arrivals) work.delivered();
    this.#news = news;
  }

  /** Its work begins with what it holds, and reads the state as it is after that. */
  async #begin(): Promise<void> {
    this.#news = await this.#deps.store.shareNews();
    await this.#readHeld();
    this.#taken = this.#held;
  }

  async #publishConfig(): Promise<void> {
    const { store, membership, plansBy } = this.#deps;
    const config = plansBy();
    if (config === this.#config) return;
    await store.setReplicaConfig(membership.id, config);
    this.#config = config;
  }

  /** What the leader before shared out, until this one has planned. */
  async #takeOverWork(): Promise<void> {
    const claims = await this.#deps.store.claims();
    for (const kind of ["poll", "destination"] as const)
      this.#work.set(
        kind,
        claims.filter((claim) => claim.kind === kind),
      );
  }

  async #shareOutAgain(): Promise<void> {
    const sharedBy = JSON.stringify(
      (await this.#deps.store.replicas()).map(({ id, config }) => [id, config]),
    );
    if (sharedBy === this.#sharedBy && !this.#mustShareOut) return;
    await this.#shareOut();
    this.#sharedBy = sharedBy;
  }

  /**
   * Replicas with another configuration or planner than the leader's get nothing: they may have
   * other polls.
   */
  #shareOut(): Promise<void> {
    return this.#inTurn(async () => {
      this.#mustShareOut = false;
      await this.#saveShares().catch((error: unknown) => {
        this.#mustShareOut = true;
        throw error;
      });
      await this.#readHeld();
    });
  }

  async #saveShares(): Promise<void> {
    const { store, membership, log } = this.#deps;
    const replicas = await store.replicas();
    const own = replicas.find(({ id }) => id === membership.id);
    if (own === undefined) return;
    const sharing = replicas.filter(({ config }) => config === own.config).map(({ id }) => id);
    const claims = (await store.claims()).map((claim) => withoutGone(claim, replicas));
    const parts = [...this.#work].map(([kind, work]) =>
      shareOut(
        work,
        claims.filter((claim) => claim.kind === kind),
        sharing,
      ),
    );
    const changed = parts.flatMap((part) => part.changed);
    const removed = parts.flatMap((part) => part.removed);
    if (changed.length + removed.length > 0) {
      await store.saveClaims(changed, removed);
      log.info("work is shared out", {
        replicas: sharing.length,
        changed: changed.length,
        removed: removed.length,
      });
    }
  }

  /** Whether something is to be handed over. */
  async #readHeld(): Promise<boolean> {
    const { store, membership } = this.#deps;
    const own = await store.claimsOf(membership.id);
    const kept = own.filter(({ wanted }) => wanted === membership.id);
    this.#held = new Set(kept.map(nameOf));
    return kept.length < own.length;
  }

  async #restart(work: FleetWork): Promise<void> {
    const { store, membership, clock, log } = this.#deps;
    this.#mustRestart = true;
    const between = async () => {
      this.#isLeading = membership.isLeading();
      await store.handOver(membership.id);
      await this.#begin();
    };
    try {
      await work.restart(between);
      this.#mustRestart = false;
    } catch (error) {
      log.error("the work of this replica could not begin again", { error });
      await sleep(clock, RETRY_MS);
    }
  }
}

/** It may have been removed after its claims were read, and they were saved with its name again. */
const withoutGone = (claim: WorkClaim, replicas: readonly ReplicaState[]): WorkClaim =>
  replicas.some(({ id }) => id === claim.replica) ? claim : { ...claim, replica: null };

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name));

const nameOf = ({ kind, key }: Pick<Work, "kind" | "key">): string => `${kind}\n${key}`;

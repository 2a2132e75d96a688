/**
 * Keeps the share of one replica up to date with the state. The leader distributes the work, and
 * every replica follows its own share. If a replica must give work away, it ends all of its work,
 * releases the part that other replicas will do, and starts again with the rest. Thus its memory
 * contains nothing about work that others do.
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
  /** Returns the digest of the active configuration and the version of the planner. */
  readonly plansBy: () => string;
}

/**
 * Functions that the fleet calls after changes. The fleet waits for each call and does nothing else
 * meanwhile.
 */
export interface FleetWork {
  /**
   * Called when the claims or configurations of replicas changed. `isOther` says whether this
   * replica's claims differ from those with which its work last started or continued.
   */
  shareChanged(isOther: boolean): Promise<void>;
  /**
   * Called when others called `announce`, or when this replica has become the leader, so that
   * everything may have changed.
   */
  stateChanged(watches: ChangedWatches): Promise<void>;
  /**
   * Called when there are new deliveries, or events that wait for enrichment, perhaps from other
   * replicas.
   */
  delivered(): void;
  /**
   * Ends the work of this replica, unless it has ended already, and starts it again. `between` is
   * called while no work runs.
   */
  restart(between: () => Promise<void>): Promise<void>;
}

const WATCH_EVERY_MS = 100;
/** The wait after a failed attempt to start the work again, in ms. */
const RETRY_MS = 1_000;
/**
 * The ms after which a new leader reads all watches again. It does not do so immediately, because
 * distributing the previous leader's work comes first.
 */
const READ_AGAIN_AFTER_MS = 1_000;

export class Fleet implements Share {
  readonly isAlone = false;
  readonly #deps: FleetDeps;
  readonly #inTurn = createInTurn();
  readonly #work = new Map<WorkKind, readonly Work[]>();
  #held: ReadonlySet<string> = new Set();
  /** The claims with which this replica's work last started or continued. */
  #takenOver: ReadonlySet<string> = new Set();
  #news: ShareNews = { revision: -1, announcements: -1, arrivals: 0 };
  #isLeading: boolean;
  /** The replicas and their configurations when the work was last shared out. */
  #sharedBy = "";
  /** Whether the work has changed since it was last shared out. */
  #mustShareOut = false;
  #config = "";
  /**
   * Set when this replica has just become the leader: the monotonic time at which it reads
   * everything again.
   */
  #readsAgainAtMs: number | undefined;
  /** Whether this replica's work has ended and was not started again. */
  #mustRestart = false;
  /** Whether an announcement could not be written to the state. */
  #mustAnnounce = false;
  #turns = 0;

  constructor(deps: FleetDeps) {
    this.#deps = deps;
    this.#isLeading = deps.membership.isLeading();
  }

  /** Joins the replicas, before the work starts. */
  async join(): Promise<void> {
    await this.#publishConfig();
    await this.#begin();
  }

  /** The number of times that this replica has checked its share. */
  get turns(): number {
    return this.#turns;
  }

  /**
   * Starts to watch the share. Returns a function that stops it and waits for the check under way.
   */
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
    // Do not react to this replica's own announcement, unless another replica has made one
    // meanwhile.
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
      await work.shareChanged(!isSame(this.#held, this.#takenOver));
      this.#takenOver = this.#held;
    }
    if (this.#deps.clock.monotonic() >= (this.#readsAgainAtMs ?? Number.POSITIVE_INFINITY)) {
      await work.stateChanged("all");
      this.#readsAgainAtMs = undefined;
    } else if (news.announcements !== this.#news.announcements)
      await work.stateChanged(await store.announced(this.#news.announcements, news.announcements));
    if (news.arrivals !== this.#news.arrivals) work.delivered();
    this.#news = news;
  }

  /**
   * Reads the claims of this replica, and the point from which it must follow announcements, before
   * its work starts.
   */
  async #begin(): Promise<void> {
    this.#news = await this.#deps.store.shareNews();
    await this.#readHeld();
    this.#takenOver = this.#held;
  }

  async #publishConfig(): Promise<void> {
    const { store, membership, plansBy } = this.#deps;
    const config = plansBy();
    if (config === this.#config) return;
    await store.setReplicaConfig(membership.id, config);
    this.#config = config;
  }

  /**
   * Uses the distribution that the previous leader made until this replica has planned the work
   * itself.
   */
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
   * Distributes the work. A replica whose configuration or planner differs from the leader's gets
   * nothing, because it may plan other polls.
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

  /** Reads the claims of this replica. Returns whether it must give something away. */
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
      log.error("this replica could not start working again", { error });
      await sleep(clock, RETRY_MS);
    }
  }
}

/**
 * Removes a replica that is gone from a claim. The replica may have been removed after the claims
 * were read and before they are saved.
 */
const withoutGone = (claim: WorkClaim, replicas: readonly ReplicaState[]): WorkClaim =>
  replicas.some(({ id }) => id === claim.replica) ? claim : { ...claim, replica: null };

const isSame = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  one.size === other.size && [...one].every((name) => other.has(name));

const nameOf = ({ kind, key }: Pick<Work, "kind" | "key">): string => `${kind}\n${key}`;

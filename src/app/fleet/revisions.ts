/**
 * Tracks whether this daemon's configuration is the current one of its state. If the state is a
 * file, every configuration that the daemon loads is current, and is recorded. Daemons that share a
 * state agree on one configuration: a daemon whose configuration is superseded neither leads nor
 * gets a share, until its file changes or its configuration is made current again.
 */
import type { Config } from "../../config/config.ts";
import { PLANNER_VERSION } from "../../groups/group-polls.ts";
import type { Clock } from "../../model/clock.ts";
import type { ConfigRevision, ConfigRevisionStore } from "../../model/config-revisions.ts";
import type { Hash } from "../../model/hash.ts";
import type { Log } from "../../model/log.ts";
import type { Membership, ReplicaState, ReplicaStore } from "../../model/replicas.ts";
import type { Signals } from "../../model/signals.ts";

export interface RevisionsDeps {
  readonly store: ConfigRevisionStore & Pick<ReplicaStore, "replicas">;
  readonly signals: Signals;
  /** Undefined if the state is a file. */
  readonly membership: Membership | undefined;
  readonly clock: Clock;
  readonly hash: Hash;
  readonly log: Log;
}

/**
 * Returns the part of a configuration that its digest covers. File paths and listening addresses
 * are left out, because they may differ between replicas.
 */
const whatItDoes = ({
  watches,
  sinks,
  route,
  templates,
  ops,
  chat,
  api,
  linksHost,
  state: { retentionMs },
}: Config): string =>
  JSON.stringify(
    { watches, sinks, route, templates, ops, chat, api, linksHost, retentionMs },
    (key, value: unknown) => (key === "declaredAt" || key === "keyFile" ? undefined : value),
  );

/**
 * Returns the digest of a configuration. It covers secrets too, so it is salted, which prevents
 * checking guesses against it.
 */
export const configDigest = (config: Config, salt: string, hash: Hash): string =>
  hash(`${salt}\n${whatItDoes(config)}`);

/**
 * Whether a replica runs the configuration with the digest `hash`, according to what the replica
 * has published.
 */
export const worksWith = ({ config }: Pick<ReplicaState, "config">, hash: string): boolean =>
  config.split(" ")[0] === hash;

export class Revisions {
  readonly #deps: RevisionsDeps;
  readonly #salt: string;
  readonly #digests = new WeakMap<Config, string>();
  #current: ConfigRevision | undefined;
  #isSuperseded = false;
  /**
   * Whether this daemon works with its configuration. It also works with a superseded one, as long
   * as no other daemon has the current one.
   */
  #isWorking = false;

  private constructor(deps: RevisionsDeps, salt: string) {
    this.#deps = deps;
    this.#salt = salt;
  }

  static async open(deps: RevisionsDeps): Promise<Revisions> {
    return new Revisions(deps, await deps.store.configSalt());
  }

  readonly digestOf = (config: Config): string => {
    const known = this.#digests.get(config);
    if (known !== undefined) return known;
    const digest = configDigest(config, this.#salt, this.#deps.hash);
    this.#digests.set(config, digest);
    return digest;
  };

  /**
   * Returns what other replicas see of a configuration. Replicas for which this is equal plan the
   * same polls.
   */
  readonly publishedOf = (config: Config): string => `${this.digestOf(config)} ${PLANNER_VERSION}`;

  /**
   * Returns a sentence that says that the configuration is superseded, and what to do; undefined if
   * it is current.
   */
  readonly superseded = (): string | undefined => {
    if (!this.#isSuperseded || this.#current === undefined) return undefined;
    const { number, by } = this.#current;
    const does = this.#isWorking ? "no replica has loaded that one yet" : "this replica waits";
    return `the configuration is superseded by revision ${number} of ${by}, and ${does}: update the file, or run chirpwatch config activate`;
  };

  /** Whether this daemon does no work because others have a newer configuration. */
  readonly isWaiting = (): boolean => this.#isSuperseded && !this.#isWorking;

  /** Returns why a configuration may not become active; undefined if it may. */
  readonly refusalOf = async (config: Config): Promise<string | undefined> => {
    if (this.#deps.membership === undefined) return undefined;
    const [current, ...elder] = await this.#deps.store.configRevisions();
    const digest = this.digestOf(config);
    const same = elder.find(({ hash }) => hash === digest);
    if (current === undefined || current.hash === digest || same === undefined) return undefined;
    return `it is revision ${same.number}, which revision ${current.number} of ${current.by} has superseded: chirpwatch config activate makes it the current one`;
  };

  /** Makes the configuration the current one, unless it was superseded. */
  readonly propose = async (config: Config, cause: "start" | "reload"): Promise<void> => {
    const { store, signals, membership, clock } = this.#deps;
    const hash = this.digestOf(config);
    if (hash === this.#current?.hash && this.#isWorking) return;
    const before = this.#current?.number;
    const mayGoBack = membership === undefined;
    this.#current = await store.proposeConfig({
      hash,
      atMs: clock.now(),
      cause,
      by: await this.#ownName(),
      mayGoBack,
      body: config.stored,
    });
    if (this.#current.hash === hash) this.#settle(true, true);
    else await this.review(config);
    if (this.#current.number !== before) await signals.send("configuration");
  };

  /**
   * Checks whether another replica has made another configuration current, or runs another one.
   * Returns whether this replica's configuration has been superseded since the last check.
   */
  readonly review = async (config: Config): Promise<boolean> => {
    const { store, membership } = this.#deps;
    if (membership === undefined) return false;
    const [current] = await store.configRevisions();
    if (current === undefined) return false;
    const [before, wasSuperseded] = [this.#current?.number, this.#isSuperseded];
    this.#current = current;
    const isCurrent = current.hash === this.digestOf(config);
    const hasOther = async () =>
      (await store.replicas()).some(
        (other) => other.id !== membership.id && worksWith(other, current.hash),
      );
    this.#settle(isCurrent, isCurrent || (this.#isWorking && !(await hasOther())));
    return this.#isSuperseded && (!wasSuperseded || before !== current.number);
  };

  #settle(isCurrent: boolean, isWorking: boolean): void {
    const before = this.superseded();
    this.#isSuperseded = !isCurrent;
    this.#isWorking = isWorking;
    this.#deps.membership?.setMayLead(isWorking);
    const { log } = this.#deps;
    const now = this.superseded();
    if (now !== undefined && now !== before)
      log.warn("configuration is superseded", { reason: now });
    if (now === undefined && before !== undefined)
      log.info("configuration is the current one again");
  }

  async #ownName(): Promise<string> {
    const { store, membership } = this.#deps;
    if (membership === undefined) return "this daemon";
    return (await store.replicas()).find(({ id }) => id === membership.id)?.name ?? "a replica";
  }
}

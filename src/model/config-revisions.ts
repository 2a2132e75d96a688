/**
 * The configurations that a state has worked with, in order, as a port. The newest is the current
 * one. Daemons that share a state do not accept an older one again unless somebody activates it,
 * which makes it the newest again.
 */

export interface ConfigRevision {
  /** The number, counted from 1. */
  readonly number: number;
  /** The digest of what the configuration does, made with the state's salt. */
  readonly hash: string;
  readonly atMs: number;
  /** What made it the current one. */
  readonly cause: "start" | "reload" | "activate";
  /** What made it the current one: a daemon, a replica by its name, or a person. */
  readonly by: string;
}

export interface ProposedConfig extends Omit<ConfigRevision, "number"> {
  /** Whether a superseded configuration may become current again. */
  readonly mayGoBack: boolean;
}

export interface ConfigRevisionStore {
  /**
   * Returns the salt of this state, which never changes. It makes digests differ from those of
   * other states, so that they reveal no secrets.
   */
  configSalt(): Promise<string>;
  /** Returns the revisions, newest first. */
  configRevisions(): Promise<readonly ConfigRevision[]>;
  /**
   * Makes the configuration the current one. Returns the current one, which is a different one if
   * the proposed one was superseded. Writes an audit record if it was activated.
   */
  proposeConfig(proposed: ProposedConfig): Promise<ConfigRevision>;
}

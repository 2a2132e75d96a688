/**
 * The configurations that a state has worked with, in order, as a port. The newest is the current
 * one. Daemons that share a state accept no elder one again, unless someone activates it: then it
 * is the newest once more.
 */

export interface ConfigRevision {
  /** From 1, in order. */
  readonly number: number;
  /** Digest of what the configuration does, made with the state's salt. */
  readonly hash: string;
  readonly atMs: number;
  /** What made it the current one. */
  readonly cause: "start" | "reload" | "activate";
  /** A daemon, a replica by its name, or a person. */
  readonly by: string;
}

export interface ProposedConfig extends Omit<ConfigRevision, "number"> {
  /** Also one that was superseded becomes the current one. */
  readonly mayGoBack: boolean;
}

export interface ConfigRevisionStore {
  /**
   * Makes digests of this state differ from those of others, so that they give no secret away. The
   * same for all time.
   */
  configSalt(): Promise<string>;
  /** Newest first. */
  configRevisions(): Promise<readonly ConfigRevision[]>;
  /**
   * Makes the configuration the current one. Returns the current one: another than that proposed
   * where that was superseded. The audit gets a row where it was activated.
   */
  proposeConfig(proposed: ProposedConfig): Promise<ConfigRevision>;
}

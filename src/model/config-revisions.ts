/**
 * The storage port for the history of configurations with which a state was used. The newest one is
 * the current one. Daemons that share a state refuse a superseded configuration until an operator
 * activates it, which makes it the newest again.
 */

export interface ConfigRevision {
  /** The revision number, counted from 1. */
  readonly number: number;
  /** A digest of the configuration's effective settings, made with the state's salt. */
  readonly hash: string;
  readonly atMs: number;
  /** The action that made this configuration the current one. */
  readonly cause: "start" | "reload" | "activate";
  /** The daemon, replica or person that made this configuration the current one, by name. */
  readonly by: string;
}

export interface ProposedConfig extends Omit<ConfigRevision, "number"> {
  /** Whether the proposed configuration may become current again if it was superseded. */
  readonly mayGoBack: boolean;
  /** The configuration without its secrets, as a text that can be loaded; absent if not known. */
  readonly body?: string | undefined;
}

export interface ConfigRevisionStore {
  /**
   * Returns the salt of this state, which never changes. With it, digests differ from those of
   * other states and so do not reveal secrets.
   */
  configSalt(): Promise<string>;
  /** Returns the revisions, newest first. */
  configRevisions(): Promise<readonly ConfigRevision[]>;
  /**
   * Makes the proposed configuration the current one, unless it was superseded and may not go back.
   * Returns the current configuration after that. Writes an audit record for an activation.
   */
  proposeConfig(proposed: ProposedConfig): Promise<ConfigRevision>;
  /** Returns the text of the current configuration; undefined if it was not stored. */
  currentConfig(): Promise<string | undefined>;
}

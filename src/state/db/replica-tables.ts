/** The tables of the daemons that share a state. */
import type { ConfigRevision } from "../../model/config-revisions.ts";
import type { WorkKind } from "../../model/replicas.ts";

/** The replicas that run. */
export interface ReplicasTable {
  id: string;
  host: string;
  config: string;
  leads: number;
  joined_at: number;
}

/** The work that replicas share: each poll and each destination, and which replica does it. */
export interface ClaimsTable {
  kind: WorkKind;
  key: string;
  cost: number;
  replica: string | null;
  wanted: string;
}

/**
 * The configurations that the state has worked with, with a row for each time that another one
 * became the current one.
 */
export interface ConfigRevisionsTable {
  number: number;
  hash: string;
  at: number;
  cause: ConfigRevision["cause"];
  by: string;
  /** The configuration without its secrets, compressed; null if it was not stored. */
  body: string | null;
}

/** The tables of the daemons that share a state. */
import type { ConfigRevision } from "../../model/config-revisions.ts";
import type { WorkKind } from "../../model/replicas.ts";

/** The replicas that are running. */
export interface ReplicasTable {
  id: string;
  host: string;
  config: string;
  leads: number;
  joined_at: number;
}

/**
 * The work that is distributed among replicas: a row for each poll and each destination, with the
 * replica that does it.
 */
export interface ClaimsTable {
  kind: WorkKind;
  key: string;
  cost: number;
  replica: string | null;
  wanted: string;
}

/**
 * The configurations with which the state was used. There is a row for each time at which a
 * configuration became the current one.
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

/** Tables of the daemons that share a state. */
import type { ConfigRevision } from "../../model/config-revisions.ts";
import type { WorkKind } from "../../model/replicas.ts";

/** One row for each that runs. */
export interface ReplicasTable {
  id: string;
  host: string;
  config: string;
  leads: number;
  joined_at: number;
}

/** One row for each poll and destination. */
export interface ClaimsTable {
  kind: WorkKind;
  key: string;
  cost: number;
  replica: string | null;
  wanted: string;
}

/** One row for each configuration that became the current one. */
export interface ConfigRevisionsTable {
  number: number;
  hash: string;
  at: number;
  cause: ConfigRevision["cause"];
  by: string;
}

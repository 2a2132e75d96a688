/** Tables of the daemons that share a state. */
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

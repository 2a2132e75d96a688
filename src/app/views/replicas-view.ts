/** The daemons that share a state, and what each of them does. */
import { isoTime } from "../../model/clock.ts";
import type { Membership, ReplicaStore, WorkKind } from "../../model/replicas.ts";
import type { ReplicaView } from "../../server/words/views.ts";

export interface ReplicasViewParts extends Pick<ReplicaStore, "replicas" | "claims"> {
  readonly membership: Membership | undefined;
}

export async function replicaViews({ replicas, claims, membership }: ReplicasViewParts): Promise<readonly ReplicaView[] | null> {
  if (membership === undefined) return null;
  const [all, held] = [await replicas(), await claims()];
  const leader = all.find(({ isLeading }) => isLeading);
  const countOf = (id: string, kind: WorkKind) => held.filter((claim) => claim.replica === id && claim.kind === kind).length;
  return all.map(({ id, host, config, isLeading, joinedAtMs }) => ({
    host,
    joined_at: isoTime(joinedAtMs),
    leads: isLeading,
    answers: id === membership.id,
    shares: config === leader?.config,
    polls: countOf(id, "poll"),
    destinations: countOf(id, "destination"),
  }));
}

/** Describes the daemons that share a state, and the work of each. */
import { isoTime } from "../../model/clock.ts";
import { type ReplicaState, shardOf, type WorkClaim } from "../../model/replicas.ts";
import type { ReplicaView, UnclaimedView } from "../../server/schema/replica-view.ts";

/**
 * Returns a view of each replica. `ownId` is the replica that answers the request; undefined if a
 * command reads the state itself.
 */
export function replicaViews(
  all: readonly ReplicaState[],
  claims: readonly WorkClaim[],
  ownId: string | undefined,
): readonly ReplicaView[] {
  const leader = all.find(({ isLeading }) => isLeading);
  const polls = claims.filter(({ kind }) => kind === "poll");
  const costOf = (some: readonly WorkClaim[]) => some.reduce((sum, { cost }) => sum + cost, 0);
  const percentOf = (id: string) =>
    Math.round(
      (costOf(polls.filter(({ replica }) => replica === id)) / (costOf(polls) || 1)) * 100,
    );
  return all.map(({ id, name, config, isLeading, joinedAtMs }) => ({
    name,
    joined_at: isoTime(joinedAtMs),
    leads: isLeading,
    answers: id === ownId,
    shares: config === leader?.config,
    polls_percent: percentOf(id),
    destinations: claims.filter(({ kind, replica }) => kind === "destination" && replica === id)
      .length,
  }));
}

/** Returns which other replica makes the polls of each shard, as the replica's name by shard. */
export function pollsOfOthers(
  all: readonly ReplicaState[],
  claims: readonly WorkClaim[],
  ownId: string,
): ReadonlyMap<string, string> {
  const names = new Map(all.map(({ id, name }) => [id, name]));
  const others = claims.filter(({ kind, replica }) => kind === "poll" && replica !== ownId);
  return new Map(
    others.flatMap(({ key, replica }) =>
      names.has(replica ?? "") ? [[key, names.get(replica ?? "") ?? ""] as const] : [],
    ),
  );
}

/**
 * Returns the polls and destinations that no replica handles. `lastPolls` says when each poll was
 * last made, by its key; null means never.
 */
export function unclaimedView(
  all: readonly ReplicaState[],
  claims: readonly WorkClaim[],
  lastPolls: ReadonlyMap<string, number | null>,
): UnclaimedView | null {
  const ids = new Set<string | null>(all.map(({ id }) => id));
  const held = new Set(
    claims.flatMap(({ kind, key, replica }) => (kind === "poll" && ids.has(replica) ? [key] : [])),
  );
  const waiting = [...lastPolls].filter(([key]) => !held.has(shardOf(key)));
  const destinations = claims.filter(
    ({ kind, replica }) => kind === "destination" && !ids.has(replica),
  ).length;
  if (waiting.length + destinations === 0) return null;
  const oldestMs = waiting.reduce(
    (least, [, atMs]) => Math.min(least, atMs ?? least),
    Number.POSITIVE_INFINITY,
  );
  return {
    polls: waiting.length,
    destinations,
    oldest_poll_at: oldestMs === Number.POSITIVE_INFINITY ? null : isoTime(oldestMs),
  };
}

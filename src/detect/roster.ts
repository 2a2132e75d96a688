/** Who joined a list of accounts. Pure: `known` is what the state has on each member. */

/** `window`: the service lists recent members only, and one that disappears has not left. `whole`: every member, paged. */
export type RosterMode = "window" | "whole";

export interface RosterRule {
  /** Event type of a new member. */
  readonly joined: string;
  readonly mode: RosterMode;
}

export interface RosterMember {
  readonly id: string;
  /** When the member joined, epoch ms, where the service says so. */
  readonly joinedAtMs?: number;
}

export interface RosterFinding {
  readonly id: string;
  readonly verdict: "news" | "baseline";
}

/**
 * Verdicts of members without one. Before the baseline is complete everything is baseline, unless it joined after `registeredAtMs`
 * (the service's clock) by the service's own date.
 */
export function detectRoster(
  members: readonly RosterMember[],
  known: ReadonlySet<string>,
  options: { readonly isBaselined: boolean; readonly registeredAtMs: number },
): readonly RosterFinding[] {
  const findings = new Map<string, RosterFinding>();
  for (const member of members) {
    if (known.has(member.id) || findings.has(member.id)) continue;
    const joinedLater = member.joinedAtMs !== undefined && member.joinedAtMs > options.registeredAtMs;
    findings.set(member.id, { id: member.id, verdict: options.isBaselined || joinedLater ? "news" : "baseline" });
  }
  return [...findings.values()];
}

/** The communities and lists that every generated world has. groups.ts decides who is a member. */

export interface Community {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** The share of all accounts that are members. */
  readonly share: number;
  readonly createdMs: number;
  /** The user key of the creator. */
  readonly creator: number;
  /**
   * Only set for a recorded community: its banner, and the number of its members that the record
   * counts but does not name.
   */
  readonly recorded?: { readonly unnamedMembers: number; readonly bannerUrl: string };
}

export const COMMUNITIES: readonly Community[] = [
  {
    id: "1493446837214187523",
    name: "Builders",
    description: "People who make things.",
    share: 0.4,
    createdMs: 1_644_900_000_000,
    creator: 2,
  },
  {
    id: "1506785612340985871",
    name: "Slow Markets",
    description: "No charts before noon.",
    share: 0.2,
    createdMs: 1_648_000_000_000,
    creator: 3,
  },
  {
    id: "1571033400123461634",
    name: "Night Trains",
    description: "Sleepers, timetables, views.",
    share: 0.1,
    createdMs: 1_663_400_000_000,
    creator: 1,
  },
];

export interface PublicList {
  readonly id: string;
  readonly share: number;
  /** The number of followers before the world's first day. */
  readonly followers: number;
  /** The user keys of all followers; only set for a recorded list. */
  readonly followerKeys?: readonly number[];
}

export const LISTS: readonly PublicList[] = [
  { id: "1388742069157900291", share: 0.3, followers: 830 },
  { id: "1611945287735123969", share: 0.1, followers: 41 },
];

/** The communities and lists that every invented world has. Who belongs is groups.ts's. */

export interface Community {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  /** Share of the accounts that belong. */
  readonly share: number;
  readonly createdMs: number;
  /** User key. */
  readonly creator: number;
  /** Of a recorded community: members beyond those that are named, and its own banner. */
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
  /** Followers before the first day. */
  readonly followers: number;
  /** User keys of all followers of a list that was recorded. */
  readonly followerKeys?: readonly number[];
}

export const LISTS: readonly PublicList[] = [
  { id: "1388742069157900291", share: 0.3, followers: 830 },
  { id: "1611945287735123969", share: 0.1, followers: 41 },
];

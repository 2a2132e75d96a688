/** The memory of a member list, which its polls keep for all its subscribers. */

/** A read of the whole list that is under way. */
export interface MemberListScan {
  readonly cursor: string;
  readonly startedAtMs: number;
  /**
   * The number of pages read so far. Absent if an older release, which did not count them, began
   * the read.
   */
  readonly pages?: number;
  /** Whether the pages held any members. */
  readonly found?: boolean;
  /**
   * The number of members on these pages. Absent if an older release, which set no watermarks,
   * began the read.
   */
  readonly members?: number;
}

/** New members that a walk left unread when it was cut off. */
export interface MemberListGap {
  readonly cursor: string;
  /** The gap ends at members of the baseline, or at new members found before this time. */
  readonly sinceMs: number;
  readonly leftAtMs: number;
}

export interface MemberListMemory {
  readonly scan?: MemberListScan;
  /** The gaps, oldest first. */
  readonly gaps?: readonly MemberListGap[];
  /**
   * Set if the cursor of a gap was lost: the next walk from the top reads down to what was known
   * before this time.
   */
  readonly downToMs?: number;
  /**
   * When the last walk from the top began that also read down to members that the service lists
   * late.
   */
  readonly rescannedAtMs?: number;
  /** Set once the list was seen to have its newest members first. */
  readonly isOrdered?: true;
  /**
   * When the last full read began that reached the end and found any members, on our clock. An
   * empty read may be a suspicious empty response.
   */
  readonly fullAtMs: number | null;
}

export const EMPTY_MEMBER_LIST: MemberListMemory = { fullAtMs: null };

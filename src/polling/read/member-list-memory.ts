/** What is remembered of a member list from poll to poll, whoever shares it. */
/** A read of the whole list under way. */
export interface MemberListScan {
  readonly cursor: string;
  readonly startedAtMs: number;
  /** Pages read so far; absent in memories from before they were counted. */
  readonly pages?: number;
  /** Whether they held anybody. */
  readonly found?: boolean;
  /** Members they held; absent in memories of releases that drew no watermarks. */
  readonly members?: number;
}

/** Newcomers that a cut walk left unread. */
export interface MemberListGap {
  readonly cursor: string;
  /** It ends at members of the baseline, or at newcomers found before. */
  readonly sinceMs: number;
  readonly leftAtMs: number;
}

export interface MemberListMemory {
  readonly scan?: MemberListScan;
  /** Those left first come first. */
  readonly gaps?: readonly MemberListGap[];
  /**
   * A gap whose cursor was lost: the next walk from the top reads down to what was known before.
   */
  readonly downToMs?: number;
  /** Start of the last walk from the top that looked for members listed late. */
  readonly rescannedAtMs?: number;
  /** The list was seen to have its newest members first. */
  readonly isOrdered?: true;
  /**
   * Start of the last full read that reached the end and found anybody; our clock. An empty one may
   * be a suspicious empty response.
   */
  readonly fullAtMs: number | null;
}

export const EMPTY_MEMBER_LIST: MemberListMemory = { fullAtMs: null };

/** What a poll brought, before anyone asked what is new. */
import type { FeedObservation } from "../read/read-feed.ts";
import type { RecordObservation } from "../read/read-record.ts";
import type { SeenList } from "./observe-list.ts";

export type Observation =
  | { readonly kind: "feed"; readonly feed: FeedObservation }
  | ({ readonly kind: "roster" } & SeenList)
  | { readonly kind: "reading"; readonly record: RecordObservation };

/** What cut it after its first page. */
export const errorOf = (seen: Observation): unknown =>
  seen.kind === "feed" ? seen.feed.error : seen.kind === "roster" ? seen.list.error : undefined;

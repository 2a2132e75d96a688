/** Normalises what the service says about a community and its members. */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { count, recordOf, text, time, user } from "./answer-object.ts";

/** The answer of /community-info (api-v3.md, "Community info"). */
export interface CommunityInfo extends JsonObject {
  readonly name: string;
  readonly description: string;
  readonly member_count: number;
  /**
   * When the community was created, in ISO 8601 UTC; "" if the time cannot be read. The service
   * sends Unix milliseconds.
   */
  readonly created_at: string;
  /** The URL of the banner: a default banner if the community has none of its own. */
  readonly banner_url: string;
  readonly creator: User;
}

/**
 * An entry of /community-members (api-v3.md, "Reduced user"). The service sends only these fields.
 * At run time the object also has the other fields of a User, filled with 0, "" or [].
 */
export type CommunityMember = Pick<
  User,
  "id" | "username" | "display_name" | "profile_image_url" | "protected" | "verified"
>;

export const readCommunity: (raw: Raw) => CommunityInfo = recordOf({
  name: text,
  description: text,
  member_count: count,
  created_at: time,
  banner_url: text,
  creator: user,
});

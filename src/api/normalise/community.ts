/** A community and its members: what they become. */
import type { JsonObject } from "../../model/json.ts";
import type { User } from "../../model/user.ts";
import type { Raw } from "../read-value.ts";
import { count, recordOf, text, time, user } from "./answer-object.ts";

/** Answer of /community-info (api-v3.md "Community info"). */
export interface CommunityInfo extends JsonObject {
  readonly name: string;
  readonly description: string;
  readonly member_count: number;
  /** ISO 8601 UTC, made of the Unix milliseconds that are sent; "" when they cannot be read. */
  readonly created_at: string;
  /** A default banner where the community has none of its own. */
  readonly banner_url: string;
  readonly creator: User;
}

/**
 * An entry of /community-members (api-v3.md "Reduced user"): these fields alone are sent. At run
 * time it has all fields of a User, and those that are not named here say nothing (0, "" or []).
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

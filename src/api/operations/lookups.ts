/** From names to ids and back, and the key's own account: methods of the client. Their rows are endpoints/lookups.ts. */
import type { Handle, ResolvedId } from "../normalise/account.ts";
import type { KeyUsage } from "../normalise/key-usage.ts";
import type { CallOptions } from "./shared-inputs.ts";

export interface IdInput {
  /** Digits. */
  readonly user_id: string;
}

export interface HandleInput {
  /** With or without @. */
  readonly handle: string;
}

export interface LinkInput {
  /** URL of a profile or of a tweet. */
  readonly link: string;
}

export interface LookupOperations {
  /**
   * The handle an account has now. 1 request.
   * @throws UpstreamError `not_found`: deleted or suspended.
   * Source: api-v3.md, `GET /id-to-username/{user_id}`.
   */
  idToUsername(params: IdInput, options?: CallOptions): Promise<Handle>;

  /** The stable id behind a handle. 1 request. Source: docs/service.md section 1, `GET /username-to-id/{handle}`. */
  usernameToId(params: HandleInput, options?: CallOptions): Promise<ResolvedId>;

  /** The id behind a link. 1 request. Source: docs/service.md section 1, `GET /link-to-id`. */
  linkToId(params: LinkInput, options?: CallOptions): Promise<ResolvedId>;

  /** What is left of the key's quota. Not billed; it counts for the rate alone. Source: docs/service.md section 1, `GET /key-usage-info`. */
  keyUsageInfo(params?: Record<never, never>, options?: CallOptions): Promise<KeyUsage>;
}

/**
 * Defines a row of the endpoint table. The rows are in endpoints/; upstream.ts sends the requests
 * and reads the answers.
 */
import type { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Raw } from "./read-value.ts";

/** How a successful answer is read: as a page of tweets, as a page of users, or as one object. */
export type AnswerShape =
  | { readonly kind: "tweets"; readonly read: (raw: Raw) => Tweet }
  | { readonly kind: "users"; readonly read: (raw: Raw) => User }
  | { readonly kind: "record"; readonly read: (raw: Raw) => JsonObject };

export interface CursorRule {
  /** The name of the parameter in the request. */
  readonly param: string;
  /**
   * Whether the service expects an int64. Its exact digits are then sent, without quotes in a JSON
   * body.
   */
  readonly isNumber: boolean;
}

export interface Endpoint {
  readonly method: "GET" | "POST";
  /** The path below the version prefix. `{name}` is replaced by the input of that name. */
  readonly path: string;
  /** The API version. Default: v3. */
  readonly version?: "v2";
  /** A line for the reference documentation. */
  readonly doc: string;
  /** The schema of all inputs except the cursor; a strict object. */
  readonly input: z.ZodObject;
  /** Groups of inputs. Exactly one input of each group must be given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** Groups of inputs. At least one input of each group must be given. */
  readonly atLeastOne?: readonly (readonly string[])[];
  /**
   * The schema of a successful answer as the service sends it: api-v3.md, extended by the forms in
   * docs/service.md. It is not enforced when an answer is read; `answer` is more tolerant.
   */
  readonly output: z.ZodType;
  /** How a successful answer is read, and what it is converted to. */
  readonly answer: AnswerShape;
  /** Set only if the answer is paged. */
  readonly cursor?: CursorRule;
  /**
   * The maximum number of items per page, if known. Never use it to decide that a list has ended.
   */
  readonly pageSize?: number;
  /**
   * The inputs that accept many entries in one billed request, and the maximum number of entries.
   */
  readonly batch?: { readonly params: readonly string[]; readonly size: number };
  /** Whether a request counts against the quota. */
  readonly billed: boolean;
}

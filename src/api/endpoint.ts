/**
 * Defines a row of the endpoint table. The rows are in endpoints/; upstream.ts sends the requests
 * and reads the answers.
 */
import type { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Raw } from "./read-value.ts";

/**
 * The way in which a successful answer is read: as a page of tweets, as a page of users, or as one
 * object.
 */
export type AnswerShape =
  | { readonly kind: "tweets"; readonly read: (raw: Raw) => Tweet }
  | { readonly kind: "users"; readonly read: (raw: Raw) => User }
  | { readonly kind: "record"; readonly read: (raw: Raw) => JsonObject };

export interface CursorRule {
  /** The name of the request parameter that takes the cursor. */
  readonly param: string;
  /**
   * Whether the service expects the cursor as an int64. All digits of such a cursor are sent, and
   * in a JSON body it has no quotes.
   */
  readonly isNumber: boolean;
}

export interface Endpoint {
  readonly method: "GET" | "POST";
  /** The path below the version prefix. `{name}` is replaced by the input of that name. */
  readonly path: string;
  /** The version of the API. Default: v3. */
  readonly version?: "v2";
  /** The description of the endpoint in the reference documentation. */
  readonly doc: string;
  /** The schema of all inputs except the cursor; a strict object. */
  readonly input: z.ZodObject;
  /** Groups of inputs. Exactly one input of each group must be given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** Groups of inputs. At least one input of each group must be given. */
  readonly atLeastOne?: readonly (readonly string[])[];
  /**
   * The schema of a successful answer of the service, as described in api-v3.md and
   * docs/service.md. Answers are not checked against it when they are read, because `answer`
   * accepts more.
   */
  readonly output: z.ZodType;
  /** The reader of a successful answer, which decides what the answer is converted to. */
  readonly answer: AnswerShape;
  /** The cursor of the endpoint. Set only if its answer is paged. */
  readonly cursor?: CursorRule;
  /**
   * The maximum number of items per page, if known. A page with fewer items is not necessarily the
   * last one: only a missing cursor ends a list.
   */
  readonly pageSize?: number;
  /**
   * The inputs that accept several entries in one billed request, and the maximum number of
   * entries. If `batch` is absent, no input does.
   */
  readonly batch?: { readonly params: readonly string[]; readonly size: number };
  /** Whether a request counts against the quota. */
  readonly billed: boolean;
}

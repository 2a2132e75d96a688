/**
 * What a row of the endpoint table says. The rows are in endpoints/; how they are sent and read is
 * in upstream.ts.
 */
import type { z } from "zod";
import type { JsonObject } from "../model/json.ts";
import type { Tweet } from "../model/tweet.ts";
import type { User } from "../model/user.ts";
import type { Raw } from "./read-value.ts";

/** How a 200 answer is read: a page of tweets or of users, or one object. */
export type AnswerShape =
  | { readonly kind: "tweets"; readonly read: (raw: Raw) => Tweet }
  | { readonly kind: "users"; readonly read: (raw: Raw) => User }
  | { readonly kind: "record"; readonly read: (raw: Raw) => JsonObject };

export interface CursorRule {
  /** The name it is sent under. */
  readonly param: string;
  /**
   * Whether the service reads it as an int64: its exact digits are sent, unquoted in a JSON body.
   */
  readonly isNumber: boolean;
}

export interface Endpoint {
  readonly method: "GET" | "POST";
  /** Below the version prefix; `{name}` takes the input of that name. */
  readonly path: string;
  /** Default v3. */
  readonly version?: "v2";
  /** One line for the reference. */
  readonly doc: string;
  /** Every input but the cursor; a strict object. */
  readonly input: z.ZodObject;
  /** Groups of inputs of which exactly one is given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  /** Groups of inputs of which at least one is given. */
  readonly atLeastOne?: readonly (readonly string[])[];
  /**
   * The body of a 200 as the service sends it: api-v3.md, widened where docs/service.md has more
   * forms. Not enforced on reading; see `answer`.
   */
  readonly output: z.ZodType;
  /** How a 200 is read, and what it becomes. */
  readonly answer: AnswerShape;
  /** Only where the answer is paged. */
  readonly cursor?: CursorRule;
  /** Items of a page at most, where known. Never a reason to stop paging. */
  readonly pageSize?: number;
  /** Inputs that take many entries in one billed request. */
  readonly batch?: { readonly params: readonly string[]; readonly size: number };
  /** Whether a request counts against the quota. */
  readonly billed: boolean;
}

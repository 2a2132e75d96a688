/**
 * The `accounts` list that several watch types share: schema, and the targets it makes. Leaves
 * resolving ids to the engine.
 */
import { z } from "zod";
import { accountKey, type NamedAccount, parseAccount } from "../model/account.ts";
import type { TargetSpec } from "./watch-type.ts";

/** One account; without a description of its own. */
export const accountSchema = z.string().transform((text, context): NamedAccount => {
  const account = parseAccount(text);
  if (account !== undefined) return { name: text.trim().replace(/^@/, ""), account };
  context.addIssue({
    code: "custom",
    message: `"${text}" is not an account: write a handle (alice), an id ("id:44196397") or a profile link`,
  });
  return z.NEVER;
});

export const accountsSchema = z
  .array(accountSchema)
  .min(1, "accounts is empty: name at least one account")
  .describe(
    'Accounts by handle (`alice`), id (`"id:44196397"`), profile link, or `{ file: accounts.txt }` with one per line.',
  );

/** One target an account; the same account written twice is one target. */
export function accountTargets(accounts: readonly NamedAccount[]): readonly TargetSpec[] {
  const targets = new Map<string, TargetSpec>();
  for (const { name, account } of accounts) {
    const key = accountKey(account);
    if (!targets.has(key))
      targets.set(key, {
        key,
        name,
        account,
        ...(account.kind === "id" ? { userId: account.id } : {}),
      });
  }
  return [...targets.values()];
}

/** The user id a source needs; the engine asks for sources of resolved targets only. */
export function requireUserId(target: {
  readonly key: string;
  readonly userId: string | null;
}): string {
  if (target.userId === null) throw new Error(`target ${target.key} has no user id yet`);
  return target.userId;
}

/** The handle a source needs that is asked for by handle; without @. */
export function requireHandle(target: {
  readonly key: string;
  readonly username?: string | null;
}): string {
  if (target.username === null || target.username === undefined)
    throw new Error(`target ${target.key} has no known handle yet`);
  return target.username;
}

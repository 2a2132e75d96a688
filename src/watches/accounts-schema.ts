/**
 * The `accounts` list that several watch types share: its schema, and the targets that it makes.
 * The engine resolves handles to ids.
 */
import { z } from "zod";
import { accountKey, type NamedAccount, parseAccount } from "../model/account.ts";
import type { TargetSpec } from "./watch-type.ts";

/** Parses one account. A watch type that uses this adds its own description. */
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

/** Returns one target per account. An account that is listed twice is one target. */
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

/**
 * Returns a target's user id, for use in its source. Throws if the id is not known yet: the engine
 * must request sources of resolved targets only.
 */
export function requireUserId(target: {
  readonly key: string;
  readonly userId: string | null;
}): string {
  if (target.userId === null) throw new Error(`target ${target.key} has no user id yet`);
  return target.userId;
}

/**
 * Returns a target's handle, without @, for a source that is requested by handle. Throws if the
 * handle is not known yet.
 */
export function requireHandle(target: {
  readonly key: string;
  readonly username?: string | null;
}): string {
  if (target.username === null || target.username === undefined)
    throw new Error(`target ${target.key} has no known handle yet`);
  return target.username;
}

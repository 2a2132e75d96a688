/**
 * Finds the accounts that a watch names in addition to its targets: the account that a check is
 * about, and authors that it ignores. Like targets, these accounts are followed by id, so that a
 * rename changes nothing. Pure. The engine requests the ids.
 */
import type { NamedAccount } from "../../model/account.ts";
import type { Watch } from "../../model/watch.ts";
import type { Pollable } from "../poll.ts";
import { ownValue } from "../../model/own-value.ts";

export interface NamedHandles {
  /** Handles in lower case whose ids must be known before the watch can be polled. */
  readonly required: readonly string[];
  /** Handles in lower case that are used as they are while their ids are unknown. */
  readonly optional: readonly string[];
}

function accountsIn({ settings }: Watch, type: Pollable): readonly NamedAccount[] {
  const found: NamedAccount[] = [];
  type.mapAccounts?.(settings, (one) => {
    found.push(one);
    return one;
  });
  return found;
}

/** Returns the handles that have no id yet. */
export function namedHandles(watch: Watch, type: Pollable): NamedHandles {
  const required = accountsIn(watch, type).flatMap(({ account }) =>
    account.kind === "handle" ? [account.handle.toLowerCase()] : [],
  );
  return { required, optional: watch.ignore.authors.filter((author) => !author.startsWith("id:")) };
}

/** Returns the accounts in the settings whose id is known. */
export const namedIds = (
  watch: Watch,
  type: Pollable,
): readonly { readonly id: string; readonly name: string }[] =>
  accountsIn(watch, type).flatMap(({ account, name }) =>
    account.kind === "id" ? [{ id: account.id, name }] : [],
  );

/** Returns the watch with its handles replaced by ids, as far as the ids are known. */
export function withAccountIds(
  watch: Watch,
  type: Pollable,
  ids: Readonly<Record<string, string>>,
): Watch {
  if (Object.keys(ids).length === 0) return watch;
  const idOf = (handle: string): string | undefined => ownValue(ids, handle);
  const byId = ({ name, account }: NamedAccount): NamedAccount => {
    const id = account.kind === "handle" ? idOf(account.handle.toLowerCase()) : undefined;
    return { name, account: id === undefined ? account : { kind: "id", id } };
  };
  const authors = watch.ignore.authors.map((author) => {
    const id = idOf(author);
    return id === undefined ? author : `id:${id}`;
  });
  const settings =
    type.mapAccounts === undefined ? watch.settings : type.mapAccounts(watch.settings, byId);
  return { ...watch, settings, ignore: { ...watch.ignore, authors } };
}

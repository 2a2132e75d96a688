/**
 * An account as the configuration names it: by handle or by id. A link to a profile is parsed to
 * the one that it contains.
 */
export type AccountRef =
  | { readonly kind: "handle" /** Without @, as written. */; readonly handle: string }
  | { readonly kind: "id"; readonly id: string };

export interface NamedAccount {
  /** The account as the YAML names it, without @. */
  readonly name: string;
  readonly account: AccountRef;
}

const HANDLE = /^[A-Za-z0-9_]{1,15}$/;
const LINK = /^https?:\/\/[^/\s]+\/(?:i\/user\/(\d+)|@?([A-Za-z0-9_]{1,15}))\/?(?:[?#].*)?$/;

/**
 * Parses `alice`, `@alice`, `id:44196397`, `https://host/alice` or `https://host/i/user/44196397`;
 * undefined if the text is none of these.
 */
export function parseAccount(text: string): AccountRef | undefined {
  const plain = text.trim();
  if (/^id:\d+$/.test(plain)) return { kind: "id", id: plain.slice(3) };
  const handle = plain.startsWith("@") ? plain.slice(1) : plain;
  if (HANDLE.test(handle)) return { kind: "handle", handle };
  const link = LINK.exec(plain);
  if (link?.[1] !== undefined) return { kind: "id", id: link[1] };
  if (link?.[2] !== undefined) return { kind: "handle", handle: link[2] };
  return undefined;
}

/**
 * Returns the key by which a watch identifies an account as it is configured, whether or not its id
 * is known. Handles are case-insensitive.
 */
export const accountKey = (account: AccountRef): string =>
  account.kind === "id" ? `id:${account.id}` : `@${account.handle.toLowerCase()}`;

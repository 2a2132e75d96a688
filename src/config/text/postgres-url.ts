/**
 * Parses and checks the address of a database, such as
 * `postgres://user:password@host:5432/database?sslmode=verify-full`.
 */
import { isAbsolute, join } from "node:path";
import { isLoopback } from "../../model/loopback.ts";
import type { PostgresAddress } from "../../model/postgres-address.ts";

const DEFAULT_PORT = 5_432;
const MODES = {
  disable: "off",
  require: "unverified",
  "verify-ca": "ca",
  "verify-full": "full",
} as const;
const PARAMETERS = ["sslmode", "sslrootcert", "host"] as const;
const EXAMPLE = "postgres://chirpwatch:PASSWORD@db.example.com:5432/chirpwatch";

/**
 * Returns the address, or a sentence about what is wrong with the text. The sentence does not
 * repeat the text, which may contain a password. A relative path of a certificate is resolved
 * against `folder`.
 */
export function parsePostgresUrl(
  text: string,
  folder: string,
): PostgresAddress | { readonly problem: string } {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== "postgres" && scheme !== "postgresql")
    return { problem: `must begin with postgres://, like ${EXAMPLE}; a file is named by \`path\`` };
  if (!URL.canParse(text))
    return {
      problem: `is not an address: write it like ${EXAMPLE}, with %40 for an @ in the password`,
    };
  const url = new URL(text);
  const [database, user, password] = [url.pathname.slice(1), url.username, url.password].map(
    decoded,
  );
  if (database === undefined || user === undefined || password === undefined)
    return {
      problem: "has a % without two hex digits after it: write %25 for a % in the password",
    };
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name as "host"));
  if (unknown !== undefined)
    return {
      problem: `has the unknown parameter ${unknown}; known here: ${PARAMETERS.join(", ")}`,
    };
  if (database === "" || database.includes("/"))
    return { problem: `names no database: write it like ${EXAMPLE}` };
  if (user === "") return { problem: `names no user: write it like ${EXAMPLE}` };
  const host = url.searchParams.get("host") ?? url.hostname.replace(/^\[|\]$/g, "");
  if (host === "") return { problem: `names no host: write it like ${EXAMPLE}` };
  const tls = tlsOf(host, url.searchParams);
  if ("problem" in tls) return tls;
  const ca = url.searchParams.get("sslrootcert");
  return {
    host,
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    database,
    user,
    ...(password === "" ? {} : { password }),
    tls: tls.mode,
    ...(ca === null ? {} : { caFile: isAbsolute(ca) ? ca : join(folder, ca) }),
  };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Returns how TLS is used. Connections that leave this machine are encrypted and check the server's
 * identity, unless the address says otherwise.
 */
function tlsOf(
  host: string,
  parameters: URLSearchParams,
): { readonly mode: PostgresAddress["tls"] } | { readonly problem: string } {
  const written = parameters.get("sslmode");
  if (written === null) return { mode: host.startsWith("/") || isLoopback(host) ? "off" : "full" };
  const mode = MODES[written as keyof typeof MODES] as PostgresAddress["tls"] | undefined;
  return mode === undefined
    ? {
        problem: `has the unknown sslmode ${written}; known here: ${Object.keys(MODES).join(", ")}`,
      }
    : { mode };
}

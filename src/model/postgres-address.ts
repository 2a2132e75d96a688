/** The address of a state on Postgres. */
export interface PostgresAddress {
  /** The host of the server, or the folder of its socket on this machine. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /**
   * How the connection is encrypted. `unverified` trusts any server, `ca` verifies the certificate
   * but not the name in it, and `full` verifies both.
   */
  readonly tls: "off" | "unverified" | "ca" | "full";
  /** The absolute path of certificates to trust instead of the system's. */
  readonly caFile?: string;
}

/** Returns the address for people and logs, without user and password. */
export const postgresName = ({ host, port, database }: PostgresAddress): string =>
  host.startsWith("/")
    ? `postgres://${database} at ${host}:${port}`
    : `postgres://${host}:${port}/${database}`;

/**
 * The address of a state: the file at `path`, or a Postgres server. For a server, `path` only says
 * where the daemon's control socket is.
 */
export interface StateAddress {
  readonly path: string;
  readonly postgres?: PostgresAddress;
}

/** Returns the address for people and logs. */
export const stateName = ({ path, postgres }: StateAddress): string =>
  postgres === undefined ? path : postgresName(postgres);

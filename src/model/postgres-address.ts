/** Where a state on Postgres is. */
export interface PostgresAddress {
  /** Of the server; or the folder of its socket on this machine. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  /**
   * `unverified`: whoever answers is believed. `ca`: the certificate is checked, the name in it is
   * not.
   */
  readonly tls: "off" | "unverified" | "ca" | "full";
  /** Certificates to trust instead of the system's: an absolute path. */
  readonly caFile?: string;
}

/** For people and logs: neither user nor password. */
export const postgresName = ({ host, port, database }: PostgresAddress): string =>
  host.startsWith("/")
    ? `postgres://${database} at ${host}:${port}`
    : `postgres://${host}:${port}/${database}`;

/**
 * Where a state is: a file; or a server, and then `path` only says where the control socket of its
 * daemon lies.
 */
export interface StateAddress {
  readonly path: string;
  readonly postgres?: PostgresAddress;
}

/** For people and logs. */
export const stateName = ({ path, postgres }: StateAddress): string =>
  postgres === undefined ? path : postgresName(postgres);

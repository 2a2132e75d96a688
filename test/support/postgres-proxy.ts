/**
 * A proxy to a Postgres server, on loopback and without TLS, with faults: lost answers of COMMIT,
 * silence, delays, cut connections, transactions left open, and statements that are refused with an
 * error code of the server. Reads what the client sends, and changes none of it.
 */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Chooses a transaction by the texts of its statements, without values. */
export type Chosen = (texts: readonly string[]) => boolean;

export class PostgresProxy {
  /** The delay in milliseconds before the client gets what the server sends. */
  delayMs = 0;
  /**
   * Holds back all traffic in both directions without ending a connection. The traffic arrives once
   * this is false again.
   */
  isSilent = false;
  /**
   * Returns the error code with which a statement is refused. Undefined: it is passed to the
   * server.
   */
  refuse: (text: string) => string | undefined = () => undefined;
  /** The number of answers that were lost. */
  lost = 0;
  readonly #ways = new Set<Way>();
  readonly #server: Server;
  #lose: Chosen | undefined;
  #part: Chosen | undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<PostgresProxy> {
    const server = createServer();
    const proxy = new PostgresProxy(server);
    server.on("connection", (client) => {
      const way = new Way(proxy, client, connect(port, "127.0.0.1"));
      proxy.#ways.add(way);
      client.once("close", () => proxy.#ways.delete(way));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Returns the address of the same database through the proxy. */
  urlOf(url: string): string {
    const own = new URL(url);
    own.port = String(this.port);
    return own.href;
  }

  /**
   * Commits the next chosen transaction, and breaks the connection before its client gets the
   * answer.
   */
  loseAnswer(chosen: Chosen): void {
    this.#lose = chosen;
  }

  /**
   * Leaves the next chosen transaction open: nothing gets through any more, and what its statements
   * locked stays locked.
   */
  partIn(chosen: Chosen): void {
    this.#part = chosen;
  }

  takePart(texts: readonly string[]): void {
    if (this.#part?.(texts) !== true) return;
    this.#part = undefined;
    this.isSilent = true;
  }

  takeLoss(texts: readonly string[]): boolean {
    if (this.#lose?.(texts) !== true) return false;
    this.#lose = undefined;
    this.lost += 1;
    return true;
  }

  cut(): void {
    for (const way of this.#ways) way.cut();
  }

  async close(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, "close");
  }
}

const RETRY_MS = 20;

class Way {
  readonly #proxy: PostgresProxy;
  readonly #client: Socket;
  readonly #server: Socket;
  readonly #texts = new Map<string, string>();
  #pending: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  /** The statements of the open transaction. */
  #transaction: string[] = [];
  /** Messages of the client until it asks for an answer. */
  #group: Buffer[] = [];
  #refusal: string | undefined;
  #losesAnswer = false;
  #heard = Promise.resolve();

  constructor(proxy: PostgresProxy, client: Socket, server: Socket) {
    [this.#proxy, this.#client, this.#server] = [proxy, client, server];
    const cut = () => this.cut();
    for (const socket of [client, server]) socket.setNoDelay().on("error", cut).on("close", cut);
    client.on("data", (chunk: Buffer) => this.#inOrder(() => this.#hear(chunk)));
    server.on("data", (chunk: Buffer) => {
      if (this.#losesAnswer) return this.cut();
      this.#inOrder(() => void client.write(chunk), proxy.delayMs);
    });
  }

  cut(): void {
    this.#client.destroy();
    this.#server.destroy();
  }

  /** Passes messages on in order, and none while the proxy is silent. */
  #inOrder(pass: () => void, delayMs = 0): void {
    this.#heard = this.#heard.then(async () => {
      if (delayMs > 0) await pause(delayMs);
      while (this.#proxy.isSilent && !this.#client.destroyed) await pause(RETRY_MS);
      if (!this.#client.destroyed) pass();
    });
  }

  #hear(chunk: Buffer): void {
    this.#pending = Buffer.concat([this.#pending, chunk]);
    for (;;) {
      // The first message has no type.
      const head = this.#hasBegun ? 1 : 0;
      if (this.#pending.length < head + 4) return;
      const length = head + this.#pending.readInt32BE(head);
      if (this.#pending.length < length) return;
      const message = this.#pending.subarray(0, length);
      this.#pending = this.#pending.subarray(length);
      if (this.#hasBegun) this.#take(message);
      else this.#server.write(message);
      this.#hasBegun = true;
    }
  }

  /**
   * Reads a client's message. Parse and Bind come before the Sync that asks for an answer, and a
   * Query stands alone.
   */
  #take(message: Buffer): void {
    const type = String.fromCharCode(message[0] ?? 0);
    const [one = "", two = ""] = message.toString("latin1", 5).split("\0", 2);
    if (type === "P") this.#texts.set(one, two);
    if (type === "B") this.#run(this.#texts.get(two) ?? "");
    if (type === "Q") this.#query(one);
    this.#group.push(message);
    if ("PBDEC".includes(type)) return;
    const group = this.#group.splice(0);
    if (type === "S" && this.#refusal !== undefined) this.#client.write(refusalOf(this.#refusal));
    else this.#server.write(Buffer.concat(group));
    this.#refusal = undefined;
  }

  #run(text: string): void {
    this.#transaction.push(text);
    this.#refusal ??= this.#proxy.refuse(text);
    this.#proxy.takePart(this.#transaction);
  }

  #query(text: string): void {
    if (text.startsWith("begin")) this.#transaction = [];
    if (text === "commit") this.#losesAnswer = this.#proxy.takeLoss(this.#transaction);
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns an ErrorResponse, and the state of a failed transaction. */
function refusalOf(code: string): Buffer {
  const fields = Buffer.from(`SERROR\0VERROR\0C${code}\0Mrefused by the test\0\0`);
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields, Buffer.from([0x5a, 0, 0, 0, 5, 0x45])]);
}

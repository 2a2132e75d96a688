/**
 * Notifies all replicas when the service refuses a key. Each refused key has a stored note, which
 * the other replicas read once a minute.
 */
import type { Cancel } from "../../model/clock.ts";
import { errorText } from "../../model/errors.ts";
import type { Json } from "../../model/json.ts";
import type { Ports } from "../../model/ports.ts";
import { UpstreamError } from "../../model/upstream.ts";
import { repeat } from "../health/repeat.ts";

export interface KeyRefusalsDeps extends Pick<Ports, "notes" | "clock" | "log"> {
  /**
   * Returns the active keys. The fingerprint distinguishes two keys that had the same name one
   * after the other.
   */
  readonly keys: () => readonly { readonly name: string; readonly fingerprint: string }[];
  /**
   * Called when another replica reports that the service refuses a key that this replica has too.
   */
  readonly onRefused: (key: string, error: UpstreamError) => void;
  /** Called when another replica reports that the service accepts the key again. */
  readonly onTaken: (key: string) => void;
}

interface Refusal {
  readonly kind: "unauthorized" | "billing";
  readonly status: number | null;
  readonly message: string;
  readonly atMs: number;
}

const READ_EVERY_MS = 60_000;

export class KeyRefusals {
  readonly #deps: KeyRefusalsDeps;
  /**
   * The last known refusal of each key, by key fingerprint. `isReported` is true if another replica
   * reported it.
   */
  readonly #known = new Map<
    string,
    Pick<Refusal, "kind" | "atMs"> & { readonly isReported: boolean }
  >();
  #stopReading: Cancel | undefined;

  constructor(deps: KeyRefusalsDeps) {
    this.#deps = deps;
  }

  /**
   * Starts to read the notes. A refusal from before the start does not suspend a key: its first
   * request shows whether it is still refused.
   */
  async start(): Promise<void> {
    const { clock, log, keys } = this.#deps;
    const onError = (error: unknown) =>
      log.debug("key refusals seen by other replicas could not be read", {
        error: errorText(error),
      });
    for (const { fingerprint } of keys()) {
      const before = await this.#read(fingerprint).catch(() => undefined);
      if (before !== undefined) this.#known.set(fingerprint, { ...before, isReported: false });
    }
    this.#stopReading = repeat({
      clock,
      everyMs: READ_EVERY_MS,
      work: () => this.#readAll(),
      onError,
    });
  }

  stop(): void {
    this.#stopReading?.();
  }

  refused(key: string, { kind, status, message }: UpstreamError): void {
    const fingerprint = this.#fingerprintOf(key);
    if (fingerprint === undefined || (kind !== "unauthorized" && kind !== "billing")) return;
    if (this.#known.get(fingerprint)?.isReported === true) return;
    const atMs = this.#deps.clock.now();
    this.#known.set(fingerprint, { kind, atMs, isReported: false });
    this.#write(fingerprint, { kind, status: status ?? null, message, atMs });
  }

  accepted(key: string): void {
    const fingerprint = this.#fingerprintOf(key);
    if (fingerprint !== undefined && this.#known.delete(fingerprint))
      this.#write(fingerprint, null);
  }

  /**
   * Ends a refusal of the kind `unauthorized`, because the service answered a free request with the
   * key. Such an answer shows that the key is valid, but not that its bill is paid.
   */
  answered(key: string): void {
    if (this.#known.get(this.#fingerprintOf(key) ?? "")?.kind === "unauthorized")
      this.accepted(key);
  }

  async #readAll(): Promise<void> {
    const { keys, onRefused, onTaken } = this.#deps;
    for (const { name, fingerprint } of keys()) {
      const [known, now] = [this.#known.get(fingerprint), await this.#read(fingerprint)];
      if (now === undefined) {
        if (known?.isReported === true) onTaken(name);
        if (known?.isReported === true) this.#known.delete(fingerprint);
      } else if (now.atMs !== known?.atMs) {
        this.#known.set(fingerprint, { ...now, isReported: true });
        onRefused(name, new UpstreamError(now.kind, now.message, now.status ?? undefined));
      }
    }
  }

  #fingerprintOf(key: string): string | undefined {
    return this.#deps.keys().find(({ name }) => name === key)?.fingerprint;
  }

  async #read(fingerprint: string): Promise<Refusal | undefined> {
    const note = await this.#deps.notes.readNote(noteOf(fingerprint));
    return isRefusal(note) ? note : undefined;
  }

  #write(fingerprint: string, refusal: Refusal | null): void {
    const { notes, log } = this.#deps;
    const note = refusal as unknown as Json;
    notes
      .writeNote(noteOf(fingerprint), note)
      .catch((error: unknown) =>
        log.debug("other replicas were not notified about a key", { error: errorText(error) }),
      );
  }
}

const noteOf = (fingerprint: string): string => `key.refused:${fingerprint}`;

const isRefusal = (note: Json | null): note is Json & Refusal =>
  typeof note === "object" && note !== null && "atMs" in note;

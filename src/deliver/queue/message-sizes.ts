/**
 * Learns from refusals how large a message a destination accepts. All sinks with the same
 * destination share this limit. It is kept until the process ends, also across reloads, so the
 * daemon must be restarted after a receiver has raised its limit.
 */
import { JsonText } from "../../model/json.ts";
import type { MessageBody } from "../../model/sink.ts";

export class MessageSizes {
  /** The smallest size that was refused. */
  #refusedBytes = Number.POSITIVE_INFINITY;
  /**
   * The largest size below `#refusedBytes` that was accepted since the first refusal; 0 if none
   * was.
   */
  #acceptedBytes = 0;

  /** Messages of this size or more are refused. */
  get refusedBytes(): number {
    return this.#refusedBytes;
  }

  /** Returns the largest size for a new message. Without a refusal there is no limit. */
  limitBytes(): number {
    return Math.max(this.#acceptedBytes, Math.floor(this.#refusedBytes / 2));
  }

  accepted(body: MessageBody): void {
    if (this.#refusedBytes === Number.POSITIVE_INFINITY) return;
    const bytes = bodyBytes(body);
    if (bytes < this.#refusedBytes) this.#acceptedBytes = Math.max(this.#acceptedBytes, bytes);
  }

  refused(body: MessageBody): void {
    this.#refusedBytes = Math.min(this.#refusedBytes, bodyBytes(body));
    if (this.#acceptedBytes >= this.#refusedBytes) this.#acceptedBytes = 0;
  }
}

/**
 * Returns the size of a message as JSON, in bytes. The sink's own additions and encoding change the
 * size only a little.
 */
export const bodyBytes = (body: MessageBody): number =>
  Buffer.byteLength(
    body instanceof JsonText ? body.text : typeof body === "string" ? body : JSON.stringify(body),
  );

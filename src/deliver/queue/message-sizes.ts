/**
 * How large a message one place takes, as far as its refusals have shown it. Known until the
 * process ends: whoever raises the limit of a receiver restarts the daemon. Shared by the sinks of
 * one place, and kept at a reload.
 */
import { JsonText } from "../../model/json.ts";
import type { MessageBody } from "../../model/sink.ts";

export class MessageSizes {
  /** The smallest size that was refused. */
  #refusedBytes = Number.POSITIVE_INFINITY;
  /** The largest size below it that was taken since the first refusal. */
  #takenBytes = 0;

  /** Sizes from this one on are refused. */
  get refusedBytes(): number {
    return this.#refusedBytes;
  }

  /** The most that a new message is to have. Without a refusal there is no limit. */
  limitBytes(): number {
    return Math.max(this.#takenBytes, Math.floor(this.#refusedBytes / 2));
  }

  taken(body: MessageBody): void {
    if (this.#refusedBytes === Number.POSITIVE_INFINITY) return;
    const bytes = bodyBytes(body);
    if (bytes < this.#refusedBytes) this.#takenBytes = Math.max(this.#takenBytes, bytes);
  }

  refused(body: MessageBody): void {
    this.#refusedBytes = Math.min(this.#refusedBytes, bodyBytes(body));
    if (this.#takenBytes >= this.#refusedBytes) this.#takenBytes = 0;
  }
}

/**
 * The size of a message as JSON. What a sink adds to it, or writes in another way, is small beside
 * that.
 */
export const bodyBytes = (body: MessageBody): number =>
  Buffer.byteLength(
    body instanceof JsonText ? body.text : typeof body === "string" ? body : JSON.stringify(body),
  );

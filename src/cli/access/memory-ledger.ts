/**
 * A ledger for commands that have no state. It enforces the rate limit within this process and
 * stores nothing else.
 */
import type { Grant, Ledger, Reservation } from "../../model/ledger.ts";

interface Slot {
  readonly key: string;
  readonly reservedAtMs: number;
  answeredAtMs: number | undefined;
}

export function createMemoryLedger(): Pick<Ledger, "reserve" | "settle"> {
  const slots: Slot[] = [];
  const freeAt = (slot: Slot, { rate, holdMs }: Reservation): number =>
    slot.answeredAtMs === undefined
      ? slot.reservedAtMs + holdMs
      : slot.answeredAtMs + rate.intervalMs;
  return {
    async reserve(reservation): Promise<Grant> {
      const { atMs, rate } = reservation;
      let retryAtMs = Number.POSITIVE_INFINITY;
      for (const { key } of reservation.keys ?? [{ key: "" }]) {
        const taken = slots
          .filter((slot) => slot.key === key)
          .map((slot) => freeAt(slot, reservation))
          .filter((freeAtMs) => freeAtMs > atMs)
          .sort((a, b) => a - b);
        if (taken.length < rate.count) {
          slots.push({ key, reservedAtMs: atMs, answeredAtMs: undefined });
          return { kind: "granted", ledgerId: String(slots.length - 1), key };
        }
        retryAtMs = Math.min(retryAtMs, taken[taken.length - rate.count] ?? atMs);
      }
      return { kind: "rate", retryAtMs };
    },
    async settle(ledgerId, atMs) {
      const slot = slots[Number(ledgerId)];
      if (slot !== undefined) slot.answeredAtMs = atMs;
    },
  };
}

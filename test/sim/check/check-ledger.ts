/** What the ledger says was asked is what the service was asked; nothing was asked beyond the rate. */
import type { Evidence } from "./evidence.ts";

/** Requests that may be about to be sent at one moment. */
const MOST_AT_ONCE = 20;

export function checkLedger({ played }: Evidence): readonly string[] {
  const { lives, left, sent } = played;
  const cuts = lives.filter(({ cutAt }) => cutAt !== undefined).length;
  // An attempt that was cut between its entry and its sending is in the ledger alone.
  if (left.ledger >= sent && left.ledger <= sent + cuts * MOST_AT_ONCE) return [];
  return [`the ledger counts ${left.ledger} requests, ${sent} were sent, with ${cuts} cuts`];
}

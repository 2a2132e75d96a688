/**
 * Plays ten thousand clicks in each chat: none takes effect twice, and no message shows anything
 * that is not stored.
 */
import { expect, it } from "vitest";
import { playClicks } from "../chat/clicks/many-clicks.ts";

const CLICKS = Number(process.env["CHIRPWATCH_CLICKS"] ?? 10_000);

it.each(["slack", "discord"] as const)(
  "takes each of ten thousand clicks in %s once, through kills, lost sockets and redeliveries",
  { timeout: 3_600_000 },
  async (vendor) => {
    const { wrong, ...counts } = await playClicks(vendor, { clicks: CLICKS, seed: 11 });
    console.info(`${vendor}: ${CLICKS} clicks, ${JSON.stringify(counts)}`);
    expect(wrong).toEqual([]);
  },
);

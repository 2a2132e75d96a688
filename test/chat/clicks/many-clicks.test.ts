/** Plays 200 clicks in each chat. test/long/clicks.test.ts plays ten thousand. */
import { expect, it } from "vitest";
import { playClicks } from "./many-clicks.ts";

it.each(["slack", "discord"] as const)(
  "takes each of 200 clicks in %s once, through kills, lost sockets and redeliveries, and shows only what is stored",
  async (vendor) => {
    const { wrong, ...counts } = await playClicks(vendor, { clicks: 200, seed: 11 });
    expect(wrong).toEqual([]);
    expect(counts.kills).toBeGreaterThan(2);
    expect(counts.lostSockets).toBeGreaterThan(2);
    expect(counts.redeliveries).toBeGreaterThan(30);
    expect(counts.effects).toBeGreaterThan(30);
  },
);

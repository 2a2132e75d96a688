/** Measures the requests that bursts take, with bench/economy, for the history. */
import { AUTHORS, burstText, runBurst } from "./economy/burst.ts";
import type { Figure } from "./figure.ts";
import { mean } from "./summary.ts";

export async function benchBurst(): Promise<readonly Figure[]> {
  const bursts = [];
  for (const authors of AUTHORS) bursts.push(await runBurst(authors));
  return [
    {
      name: "burst of 195 posts, 200 accounts every 12 s",
      value: bursts.map(burstText).join("; "),
      ratios: { "requests of a burst": mean(bursts.map(({ requests }) => requests)) },
    },
  ];
}

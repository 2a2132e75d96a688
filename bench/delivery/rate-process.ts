/**
 * Measures a rate whenever it is asked, in a process that stays warm: of this checkout with a
 * setup, or of another one as it measures it.
 */
import { join } from "node:path";
import type { DeliverySetup } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { drainRate } from "../outbox.ts";
import { median } from "../summary.ts";

/** The first argument as JSON. */
export type Measured = { readonly setup: DeliverySetup } | { readonly checkout: string };

/**
 * The `outbox` benchmark of the other checkout takes the median of as many drains. The first one
 * after the turns of other processes is slower.
 */
const DRAINS = 3;

async function rateWith(setup: DeliverySetup): Promise<number> {
  const rates: number[] = [];
  while (rates.length < DRAINS) rates.push(await drainRate(setup));
  return median(rates);
}

/** The median that its benchmark `outbox` prints. */
async function rateOf(checkout: string): Promise<number> {
  const { benchOutbox } = (await import(join(checkout, ".bench/bench/outbox.js"))) as {
    benchOutbox(): Promise<readonly Figure[]>;
  };
  const [figure] = await benchOutbox();
  const [, rate] = /^([\d,]+) events\/s/.exec(figure?.value ?? "") ?? [];
  if (rate === undefined) throw new Error(`no rate in what ${checkout} measured: ${figure?.value}`);
  return Number(rate.replaceAll(",", ""));
}

const measured = JSON.parse(process.argv[2] ?? "{}") as Measured;
process.on("message", async () =>
  process.send?.(
    "setup" in measured ? await rateWith(measured.setup) : await rateOf(measured.checkout),
  ),
);
// The thread that renders templates would keep it alive.
process.on("disconnect", () => process.exit());

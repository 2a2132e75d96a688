/**
 * Measures a delivery rate on request, in a process that stays warm. The rate is that of this
 * checkout with a setup, or of another checkout as its own benchmark measures it.
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

/** Returns the median that the checkout's `outbox` benchmark prints. */
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
// The thread that renders templates would keep the process alive.
process.on("disconnect", () => process.exit());

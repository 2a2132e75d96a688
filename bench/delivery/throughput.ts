/**
 * Durable deliveries per second to a fast webhook, by what is in the way of each alert. Each setup, and another checkout, has a process of its
 * own; they take turns, so that a machine that becomes slower does so for all.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { DeliverySetup } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { median, wholeText } from "../summary.ts";
import type { Measured } from "./rate-process.ts";

const ROUNDS = Number(process.env["DELIVERY_ROUNDS"] ?? 5);

const TEMPLATE = {
  sink: ", template: short",
  sections: `templates:
  short: { events: ["tweet.*"], title: "@{{ tweet.user.username }}", body: "{{ tweet.full_text | graphemes: 200 }}" }
`,
};
const DEDUPE = ", dedupe: { key: [tweet], window: 24h }";

const SETUPS: Readonly<Record<string, DeliverySetup>> = {
  plain: {},
  "an active silence": { hasSilence: true },
  "de-duplication by tweet": { sink: DEDUPE },
  "a template": TEMPLATE,
  "all three": { ...TEMPLATE, sink: `${TEMPLATE.sink}${DEDUPE}`, hasSilence: true },
};

/** A checkout in which `npm run bench` has run. */
const OTHER = process.env["DELIVERY_BESIDE"];

interface Rates {
  readonly name: string;
  readonly child: ChildProcess;
  readonly rates: number[];
}

export async function benchThroughput(): Promise<readonly Figure[]> {
  const beside = OTHER === undefined ? [] : [startProcess(`plain, in ${OTHER}`, { checkout: OTHER }, OTHER)];
  const all = [...beside, ...Object.entries(SETUPS).map(([name, setup]) => startProcess(name, { setup }))];
  // The first round is where the processes become warm.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { child, name, rates } of all) {
      const rate = await nextRate(child);
      if (round > 0) rates.push(rate);
      console.error(`round ${round} of ${ROUNDS}, ${name}: ${wholeText(rate)}`);
    }
  }
  for (const { child } of all) child.disconnect();
  return all.map(({ name, rates }) => ({
    name: `durable deliveries to a fast webhook, ${name}`,
    value: `${wholeText(median(rates))} events/s (rounds: ${rates.map(wholeText).join(", ")}${ratioText(rates, beside[0]?.rates)})`,
  }));
}

/** Beside those of the other checkout, round by round. */
function ratioText(rates: readonly number[], others: readonly number[] | undefined): string {
  if (others === undefined || others === rates) return "";
  return `; median of ${median(rates.map((rate, round) => rate / (others[round] ?? Number.NaN))).toFixed(2)} times the other checkout`;
}

const startProcess = (name: string, measured: Measured, cwd = process.cwd()): Rates => ({
  name,
  child: fork(new URL("./rate-process.js", import.meta.url), [JSON.stringify(measured)], { cwd }),
  rates: [],
});

async function nextRate(child: ChildProcess): Promise<number> {
  child.send("measure");
  const [rate] = (await once(child, "message")) as [number];
  return rate;
}

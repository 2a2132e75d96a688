/** Durable deliveries per second to a fast webhook, by what is in the way of each alert. The setups take turns; beside them, another checkout. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DeliverySetup } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { drainRate } from "../outbox.ts";
import { median, wholeText } from "../summary.ts";

const ROUNDS = Number(process.env["DELIVERY_ROUNDS"] ?? 3);
/** A round's rate is the median of so many, as the benchmark `outbox` of the other checkout gives it. */
const DRAINS = 3;

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

/** A checkout in which `npm run bench` has run: its rate is measured in turns with ours. */
const OTHER = process.env["DELIVERY_BESIDE"];

export async function benchThroughput(): Promise<readonly Figure[]> {
  const rates = new Map<string, number[]>();
  const addRate = (name: string, rate: number) => rates.set(name, [...(rates.get(name) ?? []), rate]);
  for (let round = 0; round < ROUNDS; round += 1) {
    if (OTHER !== undefined) addRate(`plain, in ${OTHER}`, await rateOfCheckout(OTHER));
    for (const [name, setup] of Object.entries(SETUPS)) {
      const drains: number[] = [];
      while (drains.length < DRAINS) drains.push(await drainRate(setup));
      addRate(name, median(drains));
    }
  }
  return [...rates].map(([name, all]) => ({
    name: `durable deliveries to a fast webhook, ${name}`,
    value: `${wholeText(median(all))} events/s (rounds: ${all.map(wholeText).join(", ")})`,
  }));
}

/** The median that its own benchmark `outbox` prints. */
async function rateOfCheckout(folder: string): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, ".bench/bench/main.js"), "outbox"], { cwd: folder });
  const [, rate] = /: ([\d,]+) events\/s/.exec(stdout) ?? [];
  if (rate === undefined) throw new Error(`no rate in what ${folder} printed: ${stdout}`);
  return Number(rate.replaceAll(",", ""));
}

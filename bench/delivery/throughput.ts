/**
 * Measures durable deliveries per second to a fast webhook, for several setups of each alert's way.
 * Each setup, and another checkout, has its own processes, because processes with the same setup
 * differ by 15%. They take turns, so that a slower machine slows all of them down.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { DeliverySetup } from "../delivery-harness.ts";
import type { Figure } from "../figure.ts";
import { mean, wholeText } from "../summary.ts";
import type { Measured } from "./rate-process.ts";

const ROUNDS = Number(process.env["DELIVERY_ROUNDS"] ?? 2);
const PROCESSES = Number(process.env["DELIVERY_PROCESSES"] ?? 3);

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

/** The path of another checkout in which `npm run bench` has run. */
const OTHER = process.env["DELIVERY_BESIDE"];

interface Rates {
  readonly name: string;
  readonly children: readonly ChildProcess[];
  /** For each round, the results of all processes. */
  readonly rounds: (readonly number[])[];
}

export async function benchThroughput(): Promise<readonly Figure[]> {
  const beside =
    OTHER === undefined ? [] : [startProcesses(`plain, in ${OTHER}`, { checkout: OTHER }, OTHER)];
  const all = [
    ...beside,
    ...Object.entries(SETUPS).map(([name, setup]) => startProcesses(name, { setup })),
  ];
  // The first round only warms the processes up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const measured = new Map<Rates, number[]>(all.map((one) => [one, []]));
    for (let turn = 0; turn < PROCESSES; turn += 1) {
      for (const one of all) {
        const rate = await nextRate(one.children[turn] as ChildProcess);
        measured.get(one)?.push(rate);
        console.error(`round ${round} of ${ROUNDS}, ${one.name}: ${wholeText(rate)}`);
      }
    }
    if (round > 0) for (const [{ rounds }, rates] of measured) rounds.push(rates);
  }
  for (const { children } of all) for (const child of children) child.disconnect();
  return all.map(({ name, rounds }) => ({
    name: `durable deliveries to a fast webhook, ${name}`,
    value: `${wholeText(mean(rounds.flat()))} events/s (${rounds.flat().map(wholeText).join(", ")}${ratioText(rounds, beside[0]?.rounds)})`,
  }));
}

/** Compares the rounds with those of the other checkout, each with the same round. */
function ratioText(rounds: Rates["rounds"], others: Rates["rounds"] | undefined): string {
  if (others === undefined || others === rounds) return "";
  return `; ${mean(rounds.map((rates, round) => mean(rates) / mean(others[round] ?? []))).toFixed(2)} times the other checkout`;
}

const startProcesses = (name: string, measured: Measured, cwd = process.cwd()): Rates => ({
  name,
  children: Array.from({ length: PROCESSES }, () =>
    fork(new URL("./rate-process.js", import.meta.url), [JSON.stringify(measured)], { cwd }),
  ),
  rounds: [],
});

async function nextRate(child: ChildProcess): Promise<number> {
  child.send("measure");
  const [rate] = (await once(child, "message")) as [number];
  return rate;
}

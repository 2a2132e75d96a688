/**
 * Holds the remaining requests that the service last reported for each key, as `quota-audit.ts`
 * learned them. The choice of a key for a request depends on them. They are stored, so a restart
 * keeps them.
 */
import type { QuotaPeriod } from "../../budget/quota-period.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { AuditReading } from "../../model/ledger.ts";
import type { Notes } from "../../model/store.ts";

/** The answer of the service about a key, and what was computed from it. */
export interface KeyReading extends AuditReading {
  readonly remaining: number;
  readonly askedAtMs: number;
  readonly periodId: string;
  /** Absent in values stored before keys had fingerprints. */
  readonly fingerprint?: string;
  /**
   * The sum of the key's drifts in this period, in requests: above 0 if the service counted more
   * than the ledger.
   */
  readonly drift: number;
  readonly limit: number;
}

const NOTE = "quota.audit";

export class AuditReadings {
  /** Returns the current period. */
  readonly period: () => QuotaPeriod;
  readonly #readings = new Map<string, KeyReading>();

  constructor(period: () => QuotaPeriod) {
    this.period = period;
  }

  of(key: string): KeyReading | undefined {
    return this.#readings.get(key);
  }

  set(key: string, reading: KeyReading): void {
    this.#readings.set(key, reading);
  }

  /**
   * Returns how many requests a key may make in the whole period, computed from what the service
   * reported as left; undefined if unknown.
   */
  limitOf(key: string): number | undefined {
    const reading = this.#readings.get(key);
    return reading === undefined || reading.periodId !== this.period().id
      ? undefined
      : reading.limit;
  }

  /**
   * The sum of this period's drifts over all keys: above 0 if the service counted more than the
   * ledger.
   */
  get driftRequests(): number {
    const { id } = this.period();
    return [...this.#readings.values()].reduce(
      (sum, reading) => (reading.periodId === id ? sum + reading.drift : sum),
      0,
    );
  }

  async load(notes: Notes): Promise<void> {
    for (const [key, reading] of await readReadings(notes)) this.#readings.set(key, reading);
  }

  async save(notes: Notes): Promise<void> {
    const kept: JsonObject = Object.fromEntries(
      [...this.#readings].map(([key, reading]) => [key, { ...reading }]),
    );
    await notes.writeNote(NOTE, kept);
  }
}

async function readReadings(notes: Notes): Promise<readonly (readonly [string, KeyReading])[]> {
  const kept = await notes.readNote(NOTE);
  return Object.entries(isObject(kept) ? kept : {}).flatMap(([key, reading]) =>
    isReading(reading) ? [[key, reading] as const] : [],
  );
}

/** Returns what the last daemon on this state learned about its keys in this period, by key. */
export async function readAudit(
  notes: Notes,
  periodId: string,
): Promise<ReadonlyMap<string, { readonly limit: number; readonly drift: number }>> {
  return new Map(
    (await readReadings(notes)).filter(([, reading]) => reading.periodId === periodId),
  );
}

const isObject = (value: Json | null | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const FIGURES = [
  "remaining",
  "askedAtMs",
  "lastId",
  "answeredId",
  "open",
  "drift",
  "limit",
] as const;
const isReading = (value: Json | undefined): value is Json & KeyReading =>
  isObject(value) &&
  typeof value["periodId"] === "string" &&
  FIGURES.every((name) => typeof value[name] === "number");

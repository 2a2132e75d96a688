/**
 * Gives a command access to the data service, through the same request gate that the daemon uses.
 * If there is a state, requests are recorded in its ledger, so that the command shares rate and
 * quota with a running daemon.
 */
import { createUpstream } from "../../api/upstream.ts";
import {
  createKeyHolder,
  type HeldKey,
  type KeyHolder,
  eligibleKeysOf,
} from "../../operate/key-holder.ts";
import { createSandboxGuard, type SandboxGuard } from "../../engine/health/sandbox-guard.ts";
import { createUpstreamPacer } from "../../budget/upstream-pacer.ts";
import type { ApiConfig } from "../../config/config.ts";
import { createRequestGate, type RequestGate } from "../../requests/request-gate.ts";
import type { GateKeys } from "../../requests/gate-keys.ts";
import { createServiceClock } from "../../requests/service-clock.ts";
import type { Log } from "../../model/log.ts";
import { ExitError } from "../../model/exit-code.ts";
import type { Ledger } from "../../model/ledger.ts";
import type { StateAddress } from "../../model/postgres-address.ts";
import { sha256 } from "../../runtime/hash.ts";
import { createMeter } from "../../server/metrics/meter.ts";
import type { OpenedStore } from "../../state/open.ts";
import { openState } from "../../state/open-state.ts";
import type { CliContext } from "../terminal/context.ts";
import { hasState } from "./read-state.ts";
import { createMemoryLedger } from "./memory-ledger.ts";

export interface ServiceAccess {
  readonly gate: RequestGate;
  /** The keys that pay, by the names under which the ledger knows them. */
  readonly keys: readonly HeldKey[];
  /** Undefined if there is no state yet: only `run` creates one. */
  readonly store: OpenedStore | undefined;
  /** Billed requests so far, including retries. */
  readonly spent: number;
  /**
   * Returns an error that says why alerts on this service's answers must not go to these sinks, or
   * undefined if they may.
   */
  readonly refusalOf: SandboxGuard["refusalOf"];
  /**
   * Closes the access, but not the context's HTTP client, because a command may ask two services.
   */
  close(): Promise<void>;
}

export interface ServiceTarget {
  readonly api: ApiConfig;
  /** Undefined if no configuration names a state. */
  readonly state: StateAddress | undefined;
  readonly log: Log & { readonly addSecret: (secret: string) => void };
}

export async function openService(
  context: CliContext,
  { api, state, log }: ServiceTarget,
): Promise<ServiceAccess> {
  const { clock, random } = context;
  const sandbox = api.baseUrl === "sandbox" ? await startSandboxFor(context, api) : undefined;
  const store = await openExisting(context, state, log);
  let spent = 0;
  const inner: Pick<Ledger, "reserve" | "settle"> = store ?? createMemoryLedger();
  const ledger: Pick<Ledger, "reserve" | "settle"> = {
    async reserve(reservation) {
      const grant = await inner.reserve(reservation);
      if (grant.kind === "granted" && reservation.billed) spent += 1;
      return grant;
    },
    settle: (ledgerId, atMs, status) => inner.settle(ledgerId, atMs, status),
  };
  const keys = createKeyHolder(api, {
    files: context.files,
    hash: sha256,
    addSecret: log.addSecret,
  });
  const gateKeys = keysOf(keys);
  const baseUrl = sandbox?.url ?? api.baseUrl;
  // A command may show the answers of a sandbox. Only a command that sends alerts asks the guard.
  const guard = createSandboxGuard({ http: context.http, config: () => ({ api, sinks: [] }) });
  const gate = createRequestGate({
    upstream: createUpstream({
      http: guard.http,
      baseUrl,
      key: keys.key,
      timeoutMs: api.timeoutMs,
    }),
    ledger,
    clock,
    serviceClock: createServiceClock(clock),
    pacer: createUpstreamPacer(random, () => gateKeys.eligible().map(({ name }) => name)),
    meter: createMeter(),
    log,
    keys: gateKeys,
    limits: () => ({
      rate: api.rate,
      timeoutMs: api.timeoutMs,
      quota: { ...api.quota, monthly: api.quota.monthly },
    }),
    renewKey: () => keys.renew(),
    onOutcome: () => undefined,
  });
  return {
    gate,
    keys: keys.held,
    store,
    refusalOf: guard.refusalOf,
    get spent() {
      return spent;
    },
    async close() {
      gate.close();
      await store?.close();
      await sandbox?.close();
    },
  };
}

/**
 * Returns the keys for the request gate. A refused key is left out for the rest of the command,
 * which is short.
 */
function keysOf(holder: KeyHolder): GateKeys {
  const refused = new Set<string>();
  const usable = () =>
    holder.held
      .filter(({ name }) => !refused.has(name))
      .map(({ name, monthly }) => ({ name, limit: monthly }));
  return {
    eligible: () => eligibleKeysOf(holder.held, usable()),
    async refused(key) {
      refused.add(key);
      return holder.held.some(({ name }) => !refused.has(name));
    },
    paid: () => undefined,
  };
}

async function startSandboxFor(context: CliContext, api: ApiConfig) {
  const { startSandbox } = await import("../../sandbox/sandbox.ts");
  return startSandbox({ clock: context.clock, keys: [api.key] });
}

async function openExisting(
  context: CliContext,
  state: StateAddress | undefined,
  log: Log,
): Promise<OpenedStore | undefined> {
  if (state === undefined || !(await hasState(context, state))) return undefined;
  const opening = openState({
    ...state,
    clock: context.clock,
    random: context.random,
    log,
    mustExist: true,
    shared: true,
  });
  return opening.catch((error: unknown) => {
    if (
      state.postgres !== undefined &&
      error instanceof ExitError &&
      error.code === "STATE_MISSING"
    )
      return undefined;
    throw error;
  });
}

/**
 * Checks the options of a backfill and prepares it: finds the watch, its feeds and the time to read
 * back to, and opens access to the service. Nothing is paid for yet.
 */
import { feedsOf } from "../../operate/backfill/backfill-polls.ts";
import { claimOrigin } from "../../app/daemon/origin.ts";
import { planWatches } from "../../operate/plan/configured-polls.ts";
import { isUsableLimit } from "../../budget/spending-limit.ts";
import { askRemaining } from "../../requests/remaining-requests.ts";
import type { Config } from "../../config/config.ts";
import { checkSandboxGuard } from "../../config/guard.ts";
import { formatDuration } from "../../model/duration.ts";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Watch } from "../../model/watch.ts";
import type { WatchState } from "../../model/watch-store.ts";
import { planPolls } from "../../plan/polls/plan-polls.ts";
import type { Poll } from "../../polling/watch-poll.ts";
import { sha256 } from "../../runtime/hash.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import { parseTime, TIMES } from "../../server/contract/event-query.ts";
import { SINK_TYPES } from "../../sinks/registry.ts";
import type { OpenedStore } from "../../state/open.ts";
import { isTweetFeed } from "../../watches/watch-type.ts";
import { watchTypeOf } from "../../watches/registry.ts";
import { findDaemon, type DaemonPlace } from "../access/find-daemon.ts";
import { requireKnownName } from "../access/known-name.ts";
import { openService, type ServiceAccess } from "../access/service-access.ts";
import { badConfig, type CliContext } from "../terminal/context.ts";

export interface BackfillPlan {
  readonly place: DaemonPlace;
  readonly config: Config;
  readonly watch: Watch;
  readonly state: WatchState;
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The watch's feeds, one for each target that can be read. */
  readonly polls: readonly Poll[];
  /** The names of targets that cannot be read, because their accounts are not looked up yet. */
  readonly leftOut: readonly string[];
  readonly access: ServiceAccess & { readonly store: OpenedStore };
  /**
   * How many requests are left of the quota according to the service, less the reserve. Undefined
   * if the configuration sets a limit, which the ledger enforces, or if the service does not say.
   */
  readonly left: number | undefined;
}

export interface BackfillFlagTexts {
  readonly watchId: string;
  readonly since: string;
  readonly configPath: string;
}

/** Prepares the backfill. @throws ExitError, which says what to do instead */
export async function openBackfill(
  context: CliContext,
  { watchId, since, configPath }: BackfillFlagTexts,
): Promise<BackfillPlan> {
  const nowMs = context.clock.now();
  const place = await findDaemon(context, configPath);
  const config = place.config();
  const refusals = checkSandboxGuard(config, SINK_TYPES);
  if (refusals.length > 0) throw badConfig(refusals);
  requireKnownName(
    "watch",
    watchId,
    config.watches.map(({ id }) => id),
  );
  const watch = config.watches.find(({ id }) => id === watchId) as Watch;
  requirePast(watch);
  const sinceMs = readSince(since, nowMs, config.state.retentionMs);
  const log = context.logger("error");
  const access = await openService(context, { api: config.api, state: config.state, log });
  try {
    const store = requireState(access.store, watchId);
    await claimOrigin(store, config);
    const state = await requirePolled(store, watch);
    const planned = planWatches(config, sha256, [state]).get(watchId);
    const all =
      planned === undefined
        ? []
        : planPolls([planned], { hash: sha256, timetable: createTimetable(), nowMs });
    const polls = feedsOf(all as readonly Poll[], watchId);
    const asked = new Set(
      polls.flatMap(({ subscribers }) => subscribers.map(({ targetKey }) => targetKey)),
    );
    const leftOut = state.targets.filter(({ key }) => !asked.has(key)).map(({ name }) => name);
    if (polls.length === 0)
      throw refusal(
        `no account of ${watchId} has been looked up yet: the running daemon does that within a minute`,
      );
    return {
      place,
      config,
      watch,
      state,
      sinceMs,
      nowMs,
      polls,
      leftOut,
      access: Object.assign(access, { store }),
      left: await leftOf(config, access),
    };
  } catch (error) {
    await access.close();
    throw error;
  }
}

/**
 * Asks the service how many requests are left, if the configuration sets no limit. Asking is free.
 */
async function leftOf({ api }: Config, { gate, keys }: ServiceAccess): Promise<number | undefined> {
  if (api.quota.monthly !== undefined || keys.every(({ monthly }) => monthly !== undefined))
    return undefined;
  const [key] = keys;
  const left = await askRemaining(gate, key?.name).catch(() => undefined);
  return isUsableLimit(left) ? Math.floor(left * (1 - api.quota.reserve)) : undefined;
}

const refusal = (message: string): ExitError =>
  new ExitError(EXIT.failed, "BACKFILL_REFUSED", message);

function requirePast(watch: Watch): void {
  if (!isTweetFeed(watchTypeOf(watch)))
    throw refusal(
      `${watch.id} is a ${watch.type} watch, and only watches of tweets can be backfilled: the service returns lists of accounts and values as they are now, not as they were`,
    );
  if (!watch.enabled)
    throw refusal(`${watch.id} is disabled: remove \`enabled: false\`, reload, and try again`);
}

function readSince(since: string, nowMs: number, retentionMs: number): number {
  const sinceMs = parseTime(since.trim(), nowMs);
  const usage = (message: string) => new ExitError(EXIT.usage, "BACKFILL_BAD_OPTION", message);
  if (sinceMs === undefined) throw usage(`--since must be ${TIMES}, not "${since.slice(0, 80)}"`);
  if (sinceMs >= nowMs) throw usage(`--since is in the future: "${since.slice(0, 80)}"`);
  if (sinceMs < nowMs - retentionMs)
    throw usage(
      `the state forgets alerts after ${formatDuration(retentionMs)} (state.retention), so older ones could be sent twice: use --since ${formatDuration(retentionMs)} or less`,
    );
  return sinceMs;
}

function requireState(store: OpenedStore | undefined, watchId: string): OpenedStore {
  if (store !== undefined) return store;
  throw refusal(
    `there is no state yet: start the daemon with chirpwatch run, so that it reads ${watchId} for the first time`,
  );
}

async function requirePolled(store: OpenedStore, watch: Watch): Promise<WatchState> {
  const [state] = await store.listWatches([watch.id]);
  if (state === undefined || state.targets.every(({ memory }) => memory["birth"] === undefined))
    throw refusal(`the first read of ${watch.id} is not complete: let the daemon run until it is`);
  if (state.paused) throw refusal(`${watch.id} is paused: run chirpwatch resume ${watch.id} first`);
  return state;
}

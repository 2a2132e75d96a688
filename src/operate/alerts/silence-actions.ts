/**
 * Adds, lists and ends silences for an operator, and sends alerts that a silence held back. A
 * running daemon uses this code, and so does a command if no daemon runs.
 */
import type { Config } from "../../config/config.ts";
import { isoTime } from "../../model/clock.ts";
import type { History } from "../../model/history.ts";
import type { SilencedCount, SilenceStore, StoredSilence } from "../../model/silence.ts";
import { isSilenced, type Silence } from "../../route/silence.ts";
import type {
  AddSilenceOutcome,
  ResendSilenced,
  SilenceRequest,
  SilencesView,
  SilenceView,
} from "../../server/schema/silence-view.ts";
import { readSilenceRequest } from "./silence-request.ts";
import { compileSilence } from "./silences.ts";

const DAY_MS = 86_400_000;

export async function createSilence(
  store: SilenceStore & Pick<History, "labelsSince">,
  request: SilenceRequest,
  { config, nowMs }: { readonly config: Pick<Config, "watches" | "sinks">; readonly nowMs: number },
): Promise<AddSilenceOutcome> {
  const read = await readSilenceRequest(request, config, nowMs);
  if (!("matchers" in read)) return { ok: false, errors: read };
  const stored = await store.addSilence(read);
  const silence = await compileSilence(stored);
  const matching = silence === undefined ? 0 : await countMatching(store, silence, nowMs);
  return { ok: true, silence: { ...silenceView(stored, [], nowMs), matching_24h: matching } };
}

/** Counts the events of the last 24 hours that the silence matches. */
async function countMatching(
  store: Pick<History, "labelsSince">,
  silence: Silence,
  nowMs: number,
): Promise<number> {
  let count = 0;
  let before: string | undefined;
  do {
    const page = await store.labelsSince(nowMs - DAY_MS, before);
    count += page.events.filter((event) => isSilenced(silence, event)).length;
    before = page.next ?? undefined;
  } while (before !== undefined);
  return count;
}

export async function readSilences(
  store: SilenceStore,
  nowMs: number,
  withExpired: boolean,
): Promise<SilencesView> {
  const [silences, counts] = [await store.listSilences(), await store.countSilenced()];
  const views = silences.map((silence) => silenceView(silence, counts, nowMs));
  return { silences: views.filter(({ state }) => withExpired || state === "active") };
}

/** Ends a silence; resolves to undefined if there is none with that id. */
export async function endSilence(
  store: SilenceStore,
  id: string,
  nowMs: number,
): Promise<SilenceView | undefined> {
  const silence = await store.expireSilence(id, nowMs);
  return silence && silenceView(silence, await store.countSilenced(), nowMs);
}

/**
 * Sends silenced alerts to configured sinks and returns how many there are. Alerts for other sinks
 * stay silenced.
 */
export function sendSilenced(
  store: SilenceStore,
  config: Pick<Config, "sinks">,
  { sink, silenceId, by }: ResendSilenced,
  nowMs: number,
): Promise<number> {
  const sinks = config.sinks
    .map(({ name }) => name)
    .filter((name) => sink === undefined || name === sink);
  return store.resendSilenced({ sinks, silenceId }, nowMs, by);
}

const silenceView = (
  silence: StoredSilence,
  counts: readonly SilencedCount[],
  nowMs: number,
): SilenceView => ({
  id: silence.id,
  kind: silence.kind,
  sinks: silence.sinks,
  state: silence.endsAtMs > nowMs ? "active" : "expired",
  matchers: silence.matchers,
  starts_at: isoTime(silence.startsAtMs),
  ends_at: isoTime(silence.endsAtMs),
  author: silence.author,
  comment: silence.comment,
  silenced: counts
    .filter(({ silenceId }) => silenceId === silence.id)
    .map(({ sink, alerts }) => ({ sink, alerts })),
});

/** `chirpwatch explain`: what became of an item, watch by watch: verdict and reason, event, sinks, messages, attempts. */
import type { Command } from "commander";
import { createPathReader } from "../../app/views/delivery-path.ts";
import { planWatches } from "../../app/plan/configured-polls.ts";
import { findItem, unseenItem } from "../../app/views/find-item.ts";
import { explainUnseen, type UnseenParts } from "../../app/views/unseen.ts";
import { createWaitReader } from "../../app/delivering/waiting.ts";
import type { Config } from "../../config/config.ts";
import { planPolls } from "../../plan/polls/plan-polls.ts";
import { sha256 } from "../../runtime/hash.ts";
import { createTimetable } from "../../schedule/timetable.ts";
import type { Store } from "../../model/store.ts";
import { explainView, type ExplainView } from "../../server/words/explain-view.ts";
import { readDaemon, readState } from "../access/read-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION } from "../terminal/context.ts";
import { formatExplanation } from "./explain-text.ts";
import { formatUnseen, neverSeen } from "./unseen-text.ts";
import { findDaemon } from "../access/find-daemon.ts";

export function addExplain(program: Command, context: CliContext): void {
  program
    .command("explain")
    .description("say what became of a tweet or an account: alerted, or the exact reason it was not")
    .argument("<item>", "tweet id or link, user id, handle or profile link")
    .option(...CONFIG_OPTION)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExamples:\n  chirpwatch explain https://x.com/alice/status/2122697426267233124\n  chirpwatch explain @bob")
    .action((item: string, options: { config: string; json?: true }) => explain(context, item, options.config, options.json === true));
}

async function explain(context: CliContext, item: string, configPath: string, asJson: boolean): Promise<void> {
  const place = await findDaemon(context, configPath);
  const said = (await readDaemon(context, place, `/api/v1/explain/${encodeURIComponent(item)}`)) as ExplainView | undefined;
  const view =
    said ??
    (await readState(context, place.config(), (store) =>
      explainStopped(store, { item, config: place.config(), nowMs: context.clock.now() }),
    ));
  if (asJson) context.out(JSON.stringify(view, undefined, 2));
  if (!asJson && view.unseen !== null) context.out(formatUnseen(view.unseen));
  if (view.verdicts.length === 0) throw neverSeen(view);
  if (!asJson) context.out(formatExplanation(view));
}

/** Without a daemon no sink has asked to wait. */
async function explainStopped(
  store: Store,
  { item, config, nowMs }: { readonly item: string; readonly config: Config; readonly nowMs: number },
) {
  const readWait = createWaitReader({ config, health: await store.loadSinkHealth(), pauses: new Map(), nowMs });
  const readPath = createPathReader(config, await store.listSilences());
  const found = await findItem(store, item, { readWait, readPath });
  const { itemId } = found;
  const isUnseen = itemId !== null && found.histories.length === 0;
  const unseen = isUnseen ? await explainUnseen(await unseenParts(store, config, nowMs), unseenItem(item, itemId, nowMs)) : null;
  return explainView(item, { ...found, firstReads: [], unseen });
}

/** Polls as they are by themselves: how they are put together does not matter here. */
async function unseenParts(store: Store, config: Config, nowMs: number): Promise<UnseenParts> {
  const planned = planWatches(config, sha256, await store.listWatches());
  return { store, config, polls: planPolls([...planned.values()], { hash: sha256, timetable: createTimetable(), nowMs }), nowMs };
}

/** `chirpwatch explain`: what became of an item, watch by watch: verdict and reason, event, sinks, messages, attempts. */
import type { Command } from "commander";
import { findItem } from "../app/find-item.ts";
import { EXIT, ExitError } from "../model/exit-code.ts";
import { explainView, type ExplainView } from "../server/explain-view.ts";
import { readDaemon, readState } from "./read-daemon.ts";
import { type CliContext, CONFIG_OPTION, JSON_OPTION, requireConfig } from "./context.ts";
import { formatExplanation } from "./explain-text.ts";

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
  const config = await requireConfig(context, configPath, { lenientSecrets: true });
  const said = (await readDaemon(config, `/api/v1/explain/${encodeURIComponent(item)}`)) as ExplainView | undefined;
  const view = said ?? (await readState(context, config, async (store) => explainView(item, await findItem(store, item))));
  if (asJson) context.out(JSON.stringify(view, undefined, 2));
  if (view.verdicts.length === 0) throw neverSeen(view);
  if (!asJson) context.out(formatExplanation(view));
}

/** Nothing is stored about it: either no poll brought it, or it is longer ago than the retention. */
function neverSeen({ item, item_id: id }: ExplainView): ExitError {
  if (id === null) {
    const hint = "Ask by tweet id or link, user id or profile link. A handle is known once a watch names it or an alert was about it.";
    return new ExitError(EXIT.failed, "ITEM_UNKNOWN", `${item}: no item of that name was ever seen.`, { hint });
  }
  return new ExitError(EXIT.failed, "ITEM_NEVER_SEEN", `${id} was never seen: no poll of any watch brought it.`, {
    hint: "It does not match any watch's query or accounts, the service did not show it, it was there before a watch began, or it is older than state.retention. chirpwatch test WATCH shows what a watch sees now.",
  });
}

/** `chirpwatch reload`: every daemon on the state reads its configuration again. Asked of the daemon here; of those elsewhere through the state. */
import type { Command } from "commander";
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { Json } from "../../model/json.ts";
import { askDaemon, textAt } from "../access/ask-daemon.ts";
import { changeState } from "../access/change-state.ts";
import { findDaemon } from "../access/find-daemon.ts";
import { type CliContext, CONFIG_OPTION } from "../terminal/context.ts";
import { plural } from "../terminal/table.ts";

export function addReload(program: Command, context: CliContext): void {
  program
    .command("reload")
    .description("have the running daemon, and every other one on the same state, read its configuration again")
    .option(...CONFIG_OPTION)
    .addHelpText("after", "\nExample:\n  chirpwatch reload -c watches.yaml")
    .action(({ config }: { readonly config: string }) => reload(context, config));
}

async function reload(context: CliContext, configPath: string): Promise<void> {
  const place = await findDaemon(context, configPath);
  const answer = await askDaemon(place, "POST", "/api/v1/reload");
  if (answer !== undefined) {
    if (answer.status !== 200) throw refused(answer.body);
    const { changed } = answer.body as { readonly changed?: boolean };
    return context.out(changed === true ? "configuration reloaded" : "configuration unchanged");
  }
  const count = await changeState(context, place, async (store) => {
    await store.signals.send("reload");
    return (await store.connectedReplicas()).length;
  });
  if (count === 0) throw new ExitError(EXIT.failed, "NOT_RUNNING", "no daemon runs on this state: its next start reads the configuration");
  context.out(`asked ${plural(count, "replica")} to read the configuration again; the log of each says what came of it`);
}

function refused(body: Json): ExitError {
  const { error } = body as { readonly error?: { readonly errors?: readonly string[] } };
  const message = [`the running daemon refused: ${textAt(body, "error", "message")}`, ...(error?.errors ?? [])].join("\n");
  return new ExitError(EXIT.failed, "RELOAD_REFUSED", message);
}

/** Checks the tokens of chats with their vendors, for `validate --online`. */
import type { ChatConfig, SinkConfig } from "../config/config.ts";
import { errorText } from "../model/errors.ts";
import type { Http } from "../model/http.ts";
import type { ChatFinding, ChatFindings } from "./clicks/finding.ts";

/** Asks each vendor about the sinks that post as a bot. Posts nothing. */
export async function checkChats(
  config: { readonly chat: ChatConfig; readonly sinks: readonly SinkConfig[] },
  http: Http,
): Promise<ChatFindings> {
  const { checkSlack } = await import("./slack/check-slack.ts");
  const { checkDiscord } = await import("./discord/check-discord.ts");
  const findings: ChatFinding[] = [];
  const notes: string[] = [];
  for (const check of [() => checkSlack(config, http), () => checkDiscord(config.sinks, http)])
    await check().then(
      (found) => {
        findings.push(...found.findings);
        notes.push(...found.notes);
      },
      (error: unknown) => void notes.push(`not checked, ${errorText(error)}`),
    );
  return { findings, notes };
}

/**
 * Acknowledges an alert of the demo's daemon, through its API, and shows how the message about it
 * reads in Slack afterwards. The demo itself has only the console, which edits nothing.
 */
import { EXIT, ExitError } from "../../model/exit-code.ts";
import type { ChirpEvent } from "../../model/event.ts";
import { createReader } from "../../operate/create-reader.ts";
import { acknowledgedLine } from "../../render/text/acknowledged-text.ts";
import type { MarkedView } from "../../server/schema/mark-view.ts";
import { withSlackFooter } from "../../sinks/slack/slack-footer.ts";
import { renderSlack } from "../../sinks/slack/slack-render.ts";
import type { DemoRun } from "./demo-run.ts";

/** The person of the demo. */
export const WHO = "Ada";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 65_536;

/**
 * Acknowledges the alert. Returns the text of its message in Slack.
 * @throws ExitError if the daemon refuses
 */
export async function acknowledgeAlert(
  { context, config, url }: Pick<DemoRun, "context" | "config" | "url">,
  event: ChirpEvent,
): Promise<string> {
  const { token } = config.server;
  const path = `api/v1/alerts/${encodeURIComponent(event.id)}/acknowledgement?by=${WHO}`;
  const answer = await context.http.request({
    method: "POST",
    url: new URL(path, url()).href,
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    ...{ timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES, reach: "any" },
  });
  if (answer.status !== 200)
    throw new ExitError(
      EXIT.failed,
      "DEMO_FAILED",
      `the demo failed: an alert was not acknowledged (status ${answer.status})`,
    );
  const { acknowledged } = JSON.parse(answer.body) as MarkedView;
  if (acknowledged === null) return "";
  const { by, from, at } = acknowledged;
  const line = acknowledgedLine({ marks: [{ by, from, atMs: Date.parse(at) }], alerts: 1 });
  const message = renderSlack({
    events: [{ event, watches: [event.watch] }],
    sample: false,
    read: createReader(config.linksHost),
  });
  return withSlackFooter(message, line).text;
}

/** `chirpwatch resume --sink`: tries a failing or disabled sink at once. */
import { ExitError } from "../../model/exit-code.ts";
import type { Effect, ResumedSinkView } from "../../server/schema/change-view.ts";
import type { StatusView } from "../../server/schema/status-view.ts";
import { ask } from "../access/ask.ts";
import { requireKnownName } from "../access/known-name.ts";
import { findDaemon } from "../access/find-daemon.ts";
import type { CliContext } from "../terminal/context.ts";

export async function resumeSink(
  context: CliContext,
  sink: string,
  configPath: string,
): Promise<void> {
  const place = await findDaemon(context, configPath);
  const path = `/api/v1/sinks/${encodeURIComponent(sink)}/resume`;
  const resumed = await ask<ResumedSinkView & Effect>(context, place, {
    method: "POST",
    path,
  }).catch(async (error: unknown) => {
    if (!(error instanceof ExitError) || error.code !== "SINK_UNKNOWN") throw error;
    const { sinks } = await ask<Pick<StatusView, "sinks">>(context, place, {
      path: "/api/v1/status",
    });
    requireKnownName(
      "sink",
      sink,
      sinks.map(({ name }) => name),
    );
    throw error;
  });
  const { was_disabled: wasDisabled, effect } = resumed;
  context.out(
    wasDisabled
      ? `${sink} is no longer disabled: it is tried ${effect}`
      : `${sink} is not disabled; if it fails, it is tried ${effect}`,
  );
}

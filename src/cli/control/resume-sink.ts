/** `chirpwatch resume --sink`: a sink that fails is tried at once, one that is disabled too. Asked of the daemon, or written into the state. */
import type { ResumedSinkView } from "../../server/words/actions.ts";
import { type ResumedInState, resumeInState } from "../../deliver/outcome/resume-in-state.ts";
import { changeState, isWorkedOn, postDaemon } from "../access/change-state.ts";
import { requireKnownName } from "../access/known-name.ts";
import { findDaemon } from "../access/find-daemon.ts";
import type { CliContext } from "../terminal/context.ts";

export async function resumeSink(context: CliContext, sink: string, configPath: string): Promise<void> {
  const place = await findDaemon(context, configPath);
  const answer = await postDaemon<ResumedSinkView>(context, place, `/api/v1/sinks/${encodeURIComponent(sink)}/resume`);
  if (answer !== undefined) {
    context.out(
      answer.was_disabled ? `${sink} is no longer disabled: it is tried now` : `${sink} is not disabled; if it fails, it is tried now`,
    );
    return;
  }
  requireKnownName(
    "sink",
    sink,
    place.config().sinks.map(({ name }) => name),
  );
  const { resumed, isRunning } = await changeState(context, place, async (store) => ({
    resumed: await resumeInState(store, sink, context.clock.now()),
    isRunning: await isWorkedOn(store),
  }));
  context.out(resumedText(sink, resumed, isRunning));
}

function resumedText(sink: string, { wasDisabled, isFailing }: ResumedInState, isRunning: boolean): string {
  const next = isRunning ? "the replica that delivers to it tries it now" : "no daemon runs now, the next start tries it";
  if (wasDisabled) return `${sink} is no longer disabled; ${next}`;
  return isFailing ? `${sink} is not disabled, and fails; ${next}` : `${sink} is not disabled, and does not fail`;
}

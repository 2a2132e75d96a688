/** `chirpwatch resume --sink`: a sink that fails is tried at once, one that is disabled too. Asked of the daemon, or written into the state. */
import type { ResumedSinkView } from "../../server/words/actions.ts";
import { changeState, postDaemon } from "../access/change-state.ts";
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
  const { wasDisabled, replicas } = await changeState(context, place, async (store) => {
    const health = (await store.loadSinkHealth()).find((one) => one.sink === sink);
    const isDisabled = health !== undefined && health.goneFrom !== null;
    if (isDisabled) await store.saveSinkHealth({ ...health, goneFrom: null });
    return { wasDisabled: isDisabled, replicas: (await store.connectedReplicas()).length };
  });
  const next = replicas === 0 ? "no daemon runs now, the next start tries it" : "the replica that delivers to it tries it now";
  context.out(wasDisabled ? `${sink} is no longer disabled; ${next}` : `${sink} is not disabled`);
}

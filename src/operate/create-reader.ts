/**
 * Turns an event into a neutral message, which a sink then renders. Numbers and times have the
 * format of the sink's region, and title and text follow the template if there is one.
 */
import type { NeutralMessage } from "../model/message.ts";
import type { OutboxEvent } from "../model/sink.ts";
import { type Region, spellOut, type Wording } from "../model/template.ts";
import { withEnrichment } from "../render/messages/enrichment-lines.ts";
import { followUpMessage } from "../render/messages/follow-up-message.ts";
import { opsAlertMessage } from "../render/messages/ops-alert-message.ts";
import { isVolumeEvent, volumeMessage } from "../render/messages/volume-message.ts";
import { isReport, reportMessage } from "../render/report-message.ts";
import { spellTime } from "../render/text/times.ts";
import { WATCH_TYPES } from "../watches/registry.ts";

/**
 * Creates the function that turns an event into a message. An event whose watch type this build
 * does not know is rendered like an ops alert.
 */
export function createReader(
  linksHost: string,
  region?: Region,
): (event: OutboxEvent) => NeutralMessage {
  const types = new Map(WATCH_TYPES.map((type) => [type.type, type]));
  const context = { linksHost, ...region };
  const read = (event: OutboxEvent): NeutralMessage => {
    if (isVolumeEvent(event)) return volumeMessage(event);
    if (isReport(event)) return reportMessage(event);
    const type = types.get(event.event.watchType);
    return type === undefined
      ? opsAlertMessage(event)
      : followUpMessage(event, withEnrichment(type.read(event, context), event.event));
  };
  return (event) => {
    const plain = read(event);
    const message =
      region === undefined
        ? plain
        : { ...plain, occurredAt: spellTime(plain.occurredAtMs, region) };
    return event.wording === undefined ? message : worded(message, event.wording);
  };
}

/** Applies the wording of a template. An empty title is ignored. */
function worded(message: NeutralMessage, { title = [], body }: Wording): NeutralMessage {
  const spelled = spellOut(title).replace(/\s+/g, " ").trim();
  const hasMoment = body?.some((piece) => typeof piece !== "string") === true;
  return {
    ...message,
    ...(spelled === "" ? {} : { title: spelled }),
    ...(body === undefined ? {} : { body: spellOut(body) }),
    ...(body === undefined || !hasMoment ? {} : { bodyPieces: body }),
  };
}

/** The message about a community that changed: its name, and the new and previous values. */
import type { NeutralMessage } from "../../model/message.ts";
import type { OutboxEvent } from "../../model/sink.ts";
import { baseMessage, type ReadContext } from "./event-message.ts";
import { communityUrl } from "../text/permalink.ts";
import {
  beforeFacts,
  changedLines,
  changedMoves,
  crossedMoves,
  crossedText,
  joinWords,
  valuesOf,
  valueText,
} from "./value-moves.ts";

const TEXTS = { name: "name", description: "description", banner_url: "banner" };

/**
 * Reads from the event's body `community`, the current values, and `previous`, the values before.
 * The event's subject is the community's id.
 */
export function communityMessage(event: OutboxEvent, { linksHost }: ReadContext): NeutralMessage {
  const { body, subject } = event.event;
  const community = valuesOf(body["community"]);
  const changed = changedMoves(body, "community", TEXTS);
  const crossed = crossedMoves(body, "community", { member_count: "members" });
  const deeds = [
    ...(changed.length === 0 ? [] : [`has a new ${joinWords(changed.map(({ noun }) => noun))}`]),
    ...(crossed.length === 0 ? [] : [crossedText(crossed)]),
  ];
  const banner = community["banner_url"];
  const hasNewBanner =
    changed.some(({ name }) => name === "banner_url") &&
    typeof banner === "string" &&
    banner !== "";
  return {
    ...baseMessage(event),
    title: `The community ${valueText(community["name"])} ${joinWords(deeds)}`,
    body: changedLines(changed.filter(({ name }) => name !== "banner_url")),
    url: communityUrl(linksHost, subject),
    media: hasNewBanner ? [{ url: banner, kind: "photo" }] : [],
    facts: beforeFacts(crossed),
  };
}

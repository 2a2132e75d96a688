/**
 * Puts a click into effect: answers the vendor, decides who may, commits the effect, and says in private
 * what the message itself will not show. The edit that shows the effect follows from the commit.
 */
import type { ChatConfig, SinkConfig } from "../../config/config.ts";
import { type ChatAction, type Snooze, SNOOZES } from "../../model/chat-action.ts";
import type { ClickStore } from "../../model/clicks.ts";
import { errorText } from "../../model/errors.ts";
import type { Log } from "../../model/log.ts";
import { spellTime } from "../../render/text/times.ts";
import type { Actions } from "../../server/contract/actions.ts";
import type { ChatConnection, ChatMarkup, Click } from "./click.ts";
import type { ClickQueue } from "./click-queue.ts";
import { refusalOf, type UserGroups } from "./who-may.ts";

/** The words of `from` for marks that were set in a chat. */
const FROM = { slack: "Slack", discord: "Discord" } as const;

export interface AnswerDeps {
  readonly store: ClickStore;
  readonly actions: Pick<Actions, "acknowledge" | "snooze" | "muteAuthor" | "markNotRelevant">;
  /** Returns the active configuration. */
  readonly config: () => { readonly chat: ChatConfig; readonly sinks: readonly SinkConfig[] };
  readonly log: Log;
}

/** What a vendor adds to the decision. */
export interface VendorSide {
  readonly markup: ChatMarkup;
  readonly groups?: UserGroups | undefined;
}

/** All that is needed to listen to a vendor. */
export interface ListeningSide extends VendorSide {
  readonly connection: ChatConnection;
}

const GONE =
  "This alert is not in the state of chirpwatch any more: it is older than the retention, or another chirpwatch sent it.";
const NOT_OFFERED = "The configuration does not offer this button any more.";
const FAILED = "This could not be stored, so nothing has changed. Try again in a moment.";

/**
 * Answers the vendor at once, and puts the click into effect after earlier clicks on the same message.
 */
export function answerClick(
  deps: AnswerDeps,
  side: VendorSide,
  queue: ClickQueue,
  click: Click,
): void {
  const answered = click.answer().then(
    () => undefined,
    (error: unknown) => errorText(error) || "it failed",
  );
  queue.add(click.button.messageId, async () => {
    const { log } = deps;
    const fields = { chat: click.vendor, button: click.button.verb, person: click.person.id };
    const failure = await answered;
    // The person sees that the click failed, and can click again.
    if (failure !== undefined)
      return log.info("a click could not be answered", { ...fields, error: failure });
    const text = await effectOf(deps, side, click).catch((error: unknown) => {
      log.warn("a click could not be put into effect", { ...fields, error: errorText(error) });
      return FAILED;
    });
    if (text === undefined) return;
    log.info("a click was answered in private", { ...fields, text });
    await click
      .say(text)
      .catch((error: unknown) =>
        log.info("a private answer could not be sent", { ...fields, error: errorText(error) }),
      );
  });
}

/** Returns what to say in private; undefined if the message shows it all. */
async function effectOf(
  deps: AnswerDeps,
  side: VendorSide,
  click: Click,
): Promise<string | undefined> {
  const { store, config } = deps;
  const { verb, messageId } = click.button;
  const message = await store.clickedMessage(messageId);
  if (message === undefined || message.alerts === 0) return GONE;
  const { chat, sinks } = config();
  const sink = sinks.find(({ name }) => name === message.sink);
  const action = verb === "undo" ? "acknowledge" : verb;
  if (sink === undefined || !offeredBy(sink).includes(action)) return NOT_OFFERED;
  const refusal = await refusalOf(click, { ...side, allow: chat.allow });
  if (refusal !== undefined) return refusal;
  if (verb === "acknowledge" || verb === "undo") return acknowledge(deps, side, click);
  return verb === "not_relevant"
    ? markNotRelevant(deps, click)
    : holdBack(deps, side, click, { verb, sink, isEscalation: message.isEscalation });
}

/** Returns the actions of a sink. Only sinks whose types have the setting offer any. */
export const offeredBy = ({ settings }: SinkConfig): readonly ChatAction[] =>
  ((settings ?? {}) as { readonly actions?: readonly ChatAction[] }).actions ?? [];

/** Returns who asks for what, by which click. */
const askedBy = ({ vendor, id, button, person }: Click) => ({
  what: button.messageId,
  by: person.name,
  from: FROM[vendor],
  click: { id, person: `${vendor}:${person.id}` },
});

/** How long a snooze lasts if the click came from a button without a menu. */
const SNOOZE_LENGTH: Snooze = "4h";

/** Where a click holds alerts back. */
interface HeldAt {
  readonly verb: "snooze" | "mute_author";
  readonly sink: SinkConfig;
  readonly isEscalation: boolean;
}

async function holdBack(
  { actions }: AnswerDeps,
  { markup }: VendorSide,
  click: Click,
  { verb, sink, isEscalation }: HeldAt,
): Promise<string | undefined> {
  const length = SNOOZES.find((one) => one === (click.choice ?? SNOOZE_LENGTH));
  if (length === undefined) return NOT_OFFERED;
  // The id of the message stands for its alerts at its sink, and that of an escalation for its
  // alerts at their own sinks.
  const request = askedBy(click);
  const answer =
    verb === "snooze"
      ? await actions.snooze({ ...request, length })
      : await actions.muteAuthor(request);
  if (!answer.ok) return answer.problem.code === "ALERT_UNKNOWN" ? GONE : answer.problem.message;
  const { held } = answer.view;
  const [first] = held;
  // A click that was delivered twice was answered before.
  if (first === undefined) return undefined;
  const names = [...new Set(held.map((one) => markup.plain(one.sink)))];
  const where = isEscalation ? `at ${names.join(", ")}` : "here";
  const until = spellTime(Date.parse(first.until), sink.region);
  const what = verb === "snooze" ? "Snoozed" : "The author is muted";
  return `${what} ${where} until ${until}. chirpwatch silence expire ${first.id} ends it.`;
}

async function markNotRelevant({ actions }: AnswerDeps, click: Click): Promise<string | undefined> {
  const marked = await actions.markNotRelevant({ ...askedBy(click), isUndo: false });
  if (marked === undefined) return GONE;
  return marked.changed > 0 ? "Marked as not relevant." : "This is marked as not relevant already.";
}

async function acknowledge(
  { actions }: AnswerDeps,
  { markup }: VendorSide,
  click: Click,
): Promise<string | undefined> {
  const { button, person } = click;
  const isUndo = button.verb === "undo";
  const marked = await actions.acknowledge({ ...askedBy(click), isUndo });
  if (marked === undefined) return GONE;
  // A click that was delivered twice, or that asks for what holds already, changes nothing. The
  // message shows the person's own acknowledgement, and the end of one.
  const by = marked.acknowledged?.by;
  if (marked.changed > 0 || isUndo || by === undefined || by === person.name) return undefined;
  return `${markup.plain(by)} has already acknowledged this.`;
}

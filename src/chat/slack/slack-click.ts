/** Reads the payload of a click in Slack. */
import { readButtonId } from "../../model/chat-action.ts";
import type { Click } from "../clicks/click.ts";

/** A click, before it can be answered. */
export interface SlackClick extends Omit<Click, "answer" | "say"> {
  /** Where an answer goes that only the person sees. Valid for half an hour. */
  readonly responseUrl: string;
}

/** https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
interface Payload {
  readonly type?: unknown;
  readonly user?: { readonly id?: unknown; readonly name?: unknown; readonly username?: unknown };
  readonly container?: { readonly message_ts?: unknown; readonly channel_id?: unknown };
  readonly response_url?: unknown;
  readonly actions?: unknown;
}

interface PayloadAction {
  readonly action_id?: unknown;
  readonly action_ts?: unknown;
  readonly selected_option?: { readonly value?: unknown } | null;
}

/** Returns the click; undefined for whatever is not a click on one of our buttons. */
export function readSlackClick(body: unknown): SlackClick | undefined {
  const { type, user, container, response_url: responseUrl, actions } = (body ?? {}) as Payload;
  if (type !== "block_actions" || !Array.isArray(actions)) return undefined;
  const action = (actions[0] ?? {}) as PayloadAction;
  const { action_id: actionId, action_ts: actionTs } = action;
  const button = typeof actionId === "string" ? readButtonId(actionId) : undefined;
  const personId = user?.id;
  if (button === undefined || typeof personId !== "string" || typeof actionTs !== "string")
    return undefined;
  const choice = action.selected_option?.value;
  const name = [user?.name, user?.username].find((one) => typeof one === "string" && one !== "");
  // Slack has no id for a click. The person, the message, the button and the time are one.
  const place = [container?.channel_id, container?.message_ts].map(String);
  return {
    vendor: "slack",
    id: ["slack", ...place, personId, actionId, actionTs].join(":"),
    button,
    choice: typeof choice === "string" ? choice : undefined,
    person: { id: personId, name: typeof name === "string" ? name : personId },
    roles: [],
    mayManageMessages: false,
    responseUrl: typeof responseUrl === "string" ? responseUrl : "",
  };
}

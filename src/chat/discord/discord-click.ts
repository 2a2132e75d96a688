/** Reads a click in Discord from what the gateway dispatches. */
import { readButtonId } from "../../model/chat-action.ts";
import type { Click } from "../clicks/click.ts";

/** A click, before it can be answered. */
export interface DiscordClick extends Omit<Click, "answer" | "say"> {
  readonly interactionId: string;
  readonly applicationId: string;
  /** Allows answers for fifteen minutes. */
  readonly token: string;
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-object */
interface Interaction {
  readonly id?: unknown;
  readonly type?: unknown;
  readonly application_id?: unknown;
  readonly token?: unknown;
  readonly data?: { readonly custom_id?: unknown; readonly values?: unknown };
  readonly member?: {
    readonly nick?: unknown;
    readonly roles?: unknown;
    readonly permissions?: unknown;
    readonly user?: Person;
  };
  /** Set instead of `member` in a direct message. */
  readonly user?: Person;
}

interface Person {
  readonly id?: unknown;
  readonly username?: unknown;
  readonly global_name?: unknown;
}

const MESSAGE_COMPONENT = 3;
/** https://docs.discord.com/developers/topics/permissions#permissions-bitwise-permission-flags */
const ADMINISTRATOR = 1n << 3n;
const MANAGE_MESSAGES = 1n << 13n;

/** Returns the click; undefined for whatever is not a click on one of our buttons. */
export function readDiscordClick(data: unknown): DiscordClick | undefined {
  const interaction = (data ?? {}) as Interaction;
  const { id, type, application_id: applicationId, token, data: chosen, member } = interaction;
  const customId = chosen?.custom_id;
  const button = typeof customId === "string" ? readButtonId(customId) : undefined;
  const user = member?.user ?? interaction.user;
  const personId = user?.id;
  if (type !== MESSAGE_COMPONENT || button === undefined || typeof personId !== "string")
    return undefined;
  if (typeof id !== "string" || typeof applicationId !== "string" || typeof token !== "string")
    return undefined;
  const [choice] = Array.isArray(chosen?.values) ? (chosen.values as readonly unknown[]) : [];
  const names: readonly unknown[] = [member?.nick, user?.global_name, user?.username];
  const name = names.find((one) => typeof one === "string" && one !== "");
  const roles: unknown = member?.roles;
  return {
    vendor: "discord",
    id: `discord:${id}`,
    button,
    choice: typeof choice === "string" ? choice : undefined,
    person: { id: personId, name: typeof name === "string" ? name : personId },
    roles: Array.isArray(roles) ? roles.filter((role) => typeof role === "string") : [],
    mayManageMessages: mayManage(member?.permissions),
    ...{ interactionId: id, applicationId, token },
  };
}

/**
 * Whether the person who clicked may manage messages in the channel of the click. Administrators
 * may.
 */
function mayManage(permissions: unknown): boolean {
  if (typeof permissions !== "string" || !/^\d{1,40}$/.test(permissions)) return false;
  return (BigInt(permissions) & (ADMINISTRATOR | MANAGE_MESSAGES)) !== 0n;
}

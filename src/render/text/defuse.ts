/** Disables mentions that chats know, without a visible change: a zero-width space breaks the word. */

const BREAK = "\u200b";

/** `@everyone`, `@here`, `@channel` and anything that looks like `<@…`, `<!…`, `<#…`, `<:…`. */
export function defuseMentions(text: string): string {
  return text.replace(/@(?=everyone|here|channel)/gi, `@${BREAK}`).replace(/<(?=[@!#:/]|a:|t:|id:)/gi, `<${BREAK}`);
}

/** `:tada:` stays text. */
export const defuseEmoji = (text: string): string => text.replace(/:(?=[a-z0-9_+'-]+:)/gi, `:${BREAK}`);

/** `@alice` is nobody of this chat, and `/stop` no command to a bot. A link keeps its meaning. */
export const defuseHandles = (text: string): string =>
  text.replace(/https?:\/\/\S+|@(?=\w)|(?<![\w/])\/(?=\w)/g, (found) =>
    found.length === 1 ? `${found}${BREAK}` : found.replaceAll("@", "%40"),
  );

/**
 * A Slack message as Slack shows it, closely enough to review it. The page is made from the blocks
 * that are sent. This tool is not shipped.
 */
import { escapeHtml, page } from "./page.mjs";

const CSS = `
body { background: #fff; font: 15px/1.47 Lato, "Helvetica Neue", Arial, sans-serif; color: #1d1c1d; }
.message { display: flex; gap: 10px; padding: 8px 16px; }
.icon { width: 36px; height: 36px; border-radius: 4px; background: #1d9bf0; color: #fff; text-align: center; line-height: 36px; flex: none; }
.who b { font-weight: 900; } .who span { color: #616061; font-size: 12px; margin-left: 6px; }
.app { background: #e8e8e8; color: #616061; border-radius: 2px; font-size: 10px; padding: 0 3px; margin-left: 4px; }
.content { min-width: 0; flex: 1; }
.context { color: #616061; font-size: 13px; margin: 2px 0; display: flex; gap: 6px; align-items: center; }
.context b { color: #1d1c1d; }
.context img, .avatar { width: 20px; height: 20px; border-radius: 3px; background: #ccc; display: inline-block; flex: none; }
.section { white-space: pre-wrap; margin: 4px 0; }
.text { white-space: pre-wrap; margin: 2px 0; }
blockquote { margin: 4px 0; padding-left: 12px; border-left: 4px solid #ddd; white-space: pre-wrap; }
.picture { width: 360px; height: 120px; border-radius: 8px; background: linear-gradient(135deg, #cfd8dc, #90a4ae); margin: 4px 0; }
hr { border: 0; border-top: 1px solid #ddd; margin: 8px 0; }
a { color: #1264a3; text-decoration: none; }`;

/** Only pages with buttons have their style. */
const BUTTONS_CSS = `
.buttons { display: flex; gap: 8px; flex-wrap: wrap; margin: 6px 0; }
.buttons span { border: 1px solid #bbb; border-radius: 4px; padding: 3px 10px; font-size: 14px; font-weight: 700; }
.buttons .menu { font-weight: 400; color: #616061; } .buttons .menu::after { content: " ▾"; }`;

const date = (seconds, format) => {
  const shown = new Date(Number(seconds) * 1_000).toISOString();
  return format.includes("{date")
    ? `${shown.slice(0, 10)} ${shown.slice(11, 16)}`
    : shown.slice(11, 16);
};

const mrkdwn = (text) =>
  text
    .replace(/<!date\^(\d+)\^([^|>]+)\|[^>]*>/g, (_all, seconds, format) => date(seconds, format))
    .replace(/<(https?:[^|>]+)\|([^>]*)>/g, '<a href="$1">$2</a>')
    .replace(/\*([^*\n]+)\*/g, "<b>$1</b>")
    .replace(/`([^`\n]+)`/g, "<code>$1</code>");

const piece = (one) => {
  if (one.type === "link") return `<a>${escapeHtml(one.text ?? one.url)}</a>`;
  if (one.type === "date") return escapeHtml(one.fallback);
  const text = escapeHtml(one.text ?? "");
  return one.style?.bold === true ? `<b>${text}</b>` : text;
};

const richText = ({ elements }) =>
  elements
    .map(({ type, elements: pieces }) =>
      type === "rich_text_quote"
        ? `<blockquote>${pieces.map(piece).join("")}</blockquote>`
        : `<div class="text">${pieces.map(piece).join("")}</div>`,
    )
    .join("");

const button = ({ type, text, placeholder }) =>
  type === "static_select"
    ? `<span class="menu">${escapeHtml(placeholder.text)}</span>`
    : `<span>${escapeHtml(text.text)}</span>`;

const block = (one) => {
  if (one.type === "context")
    return `<div class="context">${one.elements.map((part) => (part.type === "image" ? '<span class="avatar"></span>' : `<span>${mrkdwn(part.text)}</span>`)).join("")}</div>`;
  if (one.type === "section") return `<div class="section">${mrkdwn(one.text.text)}</div>`;
  if (one.type === "rich_text") return richText(one);
  if (one.type === "actions")
    return `<div class="buttons">${one.elements.map(button).join("")}</div>`;
  if (one.type === "image") return '<div class="picture"></div>';
  return one.type === "divider" ? "<hr>" : "";
};

const message = ({ blocks }) =>
  `<div class="message"><div class="icon">c</div><div class="content"><div class="who"><b>chirpwatch</b><span class="app">APP</span><span>09:00</span></div>${blocks.map(block).join("")}</div></div>`;

/** The page that shows these payloads, one below the other. */
export function slackPage(payloads) {
  const hasButtons = payloads.some(({ blocks }) => blocks.some(({ type }) => type === "actions"));
  return page(hasButtons ? CSS + BUTTONS_CSS : CSS, payloads.map(message).join(""));
}

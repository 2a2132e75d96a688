/**
 * A Discord message as Discord shows it, closely enough to review it. The page is made from the
 * payload that is sent. This tool is not shipped.
 */
import { escapeHtml, page } from "./page.mjs";

const CSS = `
body { background: #313338; font: 15px/1.35 "gg sans", "Helvetica Neue", Arial, sans-serif; color: #dbdee1; }
.message { display: flex; gap: 14px; padding: 8px 16px; }
.icon { width: 40px; height: 40px; border-radius: 50%; background: #1d9bf0; color: #fff; text-align: center; line-height: 40px; flex: none; }
.who b { color: #f2f3f5; } .who span { color: #949ba4; font-size: 12px; margin-left: 6px; }
.app { background: #5865f2; color: #fff; border-radius: 3px; font-size: 10px; padding: 1px 4px; }
.content { min-width: 0; flex: 1; }
.embed { background: #2b2d31; border-left: 4px solid; border-radius: 4px; padding: 8px 12px; margin-top: 6px; max-width: 520px; }
.author { font-weight: 600; font-size: 14px; display: flex; gap: 8px; align-items: center; }
.avatar { width: 24px; height: 24px; border-radius: 50%; background: #666; display: inline-block; }
.title { font-weight: 600; color: #00a8fc; margin-top: 4px; }
.description { white-space: pre-wrap; font-size: 14px; margin-top: 6px; }
.footer { color: #949ba4; font-size: 12px; margin-top: 8px; }
.picture { height: 120px; border-radius: 4px; background: linear-gradient(135deg, #546e7a, #37474f); margin-top: 8px; }
.quote { border-left: 4px solid #4e5058; padding-left: 8px; display: block; }
.mention { background: #3c4270; color: #c9cdfb; border-radius: 3px; padding: 0 2px; }
a { color: #00a8fc; text-decoration: none; }`;

/** Only pages with buttons have their style. */
const BUTTONS_CSS = `
.buttons { display: flex; gap: 8px; flex-wrap: wrap; margin-top: 8px; }
.buttons span { background: #4e5058; color: #fff; border-radius: 4px; padding: 6px 14px; font-size: 14px; font-weight: 500; }
.buttons .menu { background: #1e1f22; color: #949ba4; width: 300px; } .buttons .menu::after { content: "▾"; float: right; }`;

const SELECT = 3;

const button = ({ type, label, placeholder }) =>
  type === SELECT
    ? `<span class="menu">${escapeHtml(placeholder)}</span>`
    : `<span>${escapeHtml(label)}</span>`;

const row = ({ components }) => `<div class="buttons">${components.map(button).join("")}</div>`;

const markdown = (text) =>
  escapeHtml(text)
    .replace(/&lt;t:(\d+):(\w)&gt;/g, (_all, seconds, style) =>
      style === "R"
        ? "5 minutes ago"
        : new Date(Number(seconds) * 1_000).toISOString().slice(0, 16).replace("T", " "),
    )
    .replace(/&lt;@&amp;\d+&gt;/g, '<span class="mention">@team</span>')
    .replace(/\[((?:\\.|[^\]\\])*)\]\(&lt;(.*?)&gt;\)/g, "<a>$1</a>")
    .replace(/\*\*((?:\\.|[^*\\])+)\*\*/g, "<b>$1</b>")
    .replace(/^&gt; (.*)(?:\n|$)/gm, '<span class="quote">$1</span>')
    .replace(/\\([\\*_~`|[\]()<>#+-])/g, "$1")
    .replace(/\\(&[lg]t;)/g, "$1");

const embed = ({ author, title, description, color = 0, image, footer, timestamp }) =>
  [
    `<div class="embed" style="border-color:#${color.toString(16).padStart(6, "0")}">`,
    author === undefined
      ? ""
      : `<div class="author"><span class="avatar"></span>${escapeHtml(author.name)}</div>`,
    title === undefined ? "" : `<div class="title">${markdown(title)}</div>`,
    description === undefined ? "" : `<div class="description">${markdown(description)}</div>`,
    image === undefined ? "" : '<div class="picture"></div>',
    footer === undefined && timestamp === undefined
      ? ""
      : `<div class="footer">${[
          ...(footer === undefined ? [] : [escapeHtml(footer.text)]),
          ...(timestamp === undefined ? [] : [timestamp.slice(0, 16).replace("T", " ")]),
        ].join(" • ")}</div>`,
    "</div>",
  ].join("");

const message = ({ content, embeds, components = [] }) =>
  `<div class="message"><div class="icon">c</div><div class="content"><div class="who"><b>chirpwatch</b> <span class="app">APP</span><span>today at 09:00</span></div><div>${markdown(content)}</div>${embeds.map(embed).join("")}${components.map(row).join("")}</div></div>`;

/** The page that shows these payloads, one below the other. */
export function discordPage(payloads) {
  const hasButtons = payloads.some(({ components }) => components !== undefined);
  return page(hasButtons ? CSS + BUTTONS_CSS : CSS, payloads.map(message).join(""));
}

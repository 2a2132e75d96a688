/** A mail as a mail program shows it: its subject above its own HTML. Not shipped. */
import { escapeHtml, page } from "./page.mjs";

const CSS = `
body { background: #f6f8fc; font: 14px/1.4 Arial, sans-serif; color: #202124; }
.mail { background: #fff; border-radius: 8px; margin: 12px 16px; padding: 16px 20px; }
.subject { font-size: 20px; margin-bottom: 8px; }
.from { color: #5f6368; margin-bottom: 16px; border-bottom: 1px solid #eee; padding-bottom: 8px; }
.mail .picture { display: block; height: 120px; width: 240px; background: #cfd8dc; }
a { color: #1155cc; }`;

const message = ({ subject, html }) =>
  `<div class="mail"><div class="subject">${escapeHtml(subject)}</div><div class="from">chirpwatch &lt;alerts@example.com&gt;</div>${html.replace(/<img[^>]*>/g, '<span class="picture"></span>').replace(/^[\s\S]*?<body[^>]*>|<\/body>[\s\S]*$/g, "")}</div>`;

/** The page that shows these mails, one below the other. */
export const mailPage = (payloads) => page(CSS, payloads.map(message).join(""));

/** What the pages of docs/messages.md have in common. Not shipped. */

const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export const escapeHtml = (text) => text.replace(/[&<>"]/g, (char) => ENTITIES[char]);

/** Pictures of strangers are not loaded: a page asks nobody. */
export const page = (css, body) =>
  `<!doctype html><html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><style>*{box-sizing:border-box}body{margin:0;padding:8px 0}${css}</style></head><body>${body}</body></html>`;

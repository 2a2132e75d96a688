/**
 * Texts that strangers might write to break out of a message: units of any kind, and the sequences
 * that chats react to.
 */
import fc from "fast-check";

const SEQUENCES = [
  ...[
    "@everyone",
    "@here",
    "@channel",
    "<!channel>",
    "<!here>",
    "<!everyone>",
    "<@U123>",
    "<@123>",
    "<@&456>",
    "<#C1>",
    "<!subteam^S1>",
  ],
  ...[
    "<!date^1^{time}|x>",
    "<https://evil.example|click>",
    "[a](https://evil.example)",
    "**b**",
    "__u__",
    "||s||",
    "```c```",
    "`",
    ">>> q",
  ],
  ...[
    "\n# h",
    "\n- l",
    "\n> q",
    "&lt;!channel&gt;",
    "&amp;",
    "&",
    "<t:1:R>",
    "<:e:1>",
    "<a:e:1>",
    "<id:guide>",
    "</cmd:1>",
    ":tada:",
  ],
  ...[
    "\u202e",
    "\u2066",
    "\u200b",
    "\u200d",
    "\ud83d",
    "\ude00",
    "👩‍👩‍👧",
    "🇩🇪",
    "a\u0301\u0301\u0301",
    "\u0000",
    "\r\n",
    "\u2028",
    "\\",
    "https://e.com/*a*_b_",
  ],
];

export const hostileText = fc
  .array(
    fc.oneof(
      fc.constantFrom(...SEQUENCES),
      fc.string({ unit: "binary", maxLength: 8 }),
      fc.string({ unit: "grapheme", maxLength: 8 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

/** Text that Slack acts on wherever it stands. */
export const LIVE_SLACK = /@(everyone|here|channel)|<[!@#]/i;

/** Text that Discord acts on unless a backslash stands before it. */
export const LIVE_DISCORD = /@(everyone|here)|(?<!\\)<(@|#|a?:|t:|id:|\/)/i;

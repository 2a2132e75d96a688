/** The words from which the names of users and the texts of posts are made. */

export const FIRST_NAMES = [
  "Mila",
  "Jonas",
  "Amara",
  "Kenji",
  "Lucía",
  "Tariq",
  "Freya",
  "Mateo",
  "Ines",
  "Oskar",
  "Priya",
  "Noor",
  "Elif",
  "Bruno",
  "Sofia",
  "Hugo",
  "Yuki",
  "Leila",
  "Marek",
  "Chloé",
  "Dario",
  "Anya",
  "Samir",
  "Greta",
  "Tomás",
  "Rosa",
  "Felix",
  "Nadia",
  "Ivo",
  "Zoë",
] as const;

export const LAST_NAMES = [
  "Brandt",
  "Okafor",
  "Tanaka",
  "Silva",
  "Haddad",
  "Lindqvist",
  "Moreau",
  "Novak",
  "Kaya",
  "Rossi",
  "Iyer",
  "Petrov",
  "Keller",
  "Ramos",
  "Dubois",
  "Sato",
  "Jansen",
  "Costa",
  "Weiss",
  "Farouk",
  "Nowak",
  "Berg",
  "Castillo",
  "Meyer",
  "Ito",
  "Quinn",
  "Adler",
  "Vega",
] as const;

export const PLACES = [
  "Berlin",
  "Lagos",
  "Osaka",
  "Lisbon",
  "São Paulo",
  "Toronto",
  "Kraków",
  "Nairobi",
  "Istanbul",
  "the internet",
  "",
] as const;

export const BIOS = [
  "Building small things that last.",
  "Reading more than writing.",
  "Markets by day, bread by night.",
  "Opinions are borrowed.",
  "Founder, gardener, slow runner.",
  "Ships on Fridays.",
  "Data, maps and coffee.",
  "Formerly elsewhere.",
  "Writes about protocols.",
] as const;

export const NAME_ORNAMENTS = ["🌱", "☕", "🚲", "(on leave)", "| hiring", "📚", "🛠️"] as const;

export const TOPICS = [
  "rollups",
  "stablecoins",
  "open source",
  "battery storage",
  "typography",
  "compilers",
  "governance",
  "wallets",
  "climate data",
  "sourdough",
  "night trains",
  "zero knowledge",
  "treasury bonds",
  "city cycling",
  "chess",
  "satellites",
] as const;

export const OPENERS = [
  "Spent the morning on",
  "Nobody talks enough about",
  "Three lessons from a year of",
  "Hot take on",
  "A short note about",
  "We just published our notes on",
  "Still thinking about",
  "Asked ten people about",
  "What changed my mind about",
  "Reading list for",
] as const;

export const CLOSERS = [
  "and it was worth it.",
  "and the answer surprised me.",
  "Thoughts?",
  "More next week.",
  "The chart says it all.",
  "It is simpler than it looks.",
  "I was wrong last year.",
  "Slides are up.",
  "🧵",
  "Ask me anything.",
  "Bookmark this one 📌",
] as const;

export const REPLIES = [
  "Agreed, and it goes further than that.",
  "Do you have a source for this?",
  "This. Exactly this.",
  "Not sure the numbers hold up.",
  "Thank you for writing it down.",
  "We saw the same last month.",
  "Counterpoint: it depends on who pays.",
  "Saved for later 🙏",
] as const;

export const BRAND_TALK = [
  "Just tried the new dashboard from acme corp, impressed.",
  "Is acme corp down for anyone else?",
  "acme corp support answered in four minutes.",
  "Comparing acme corp with rival: a long week.",
  "Hey @acme, the export button is gone since this morning.",
  "Switched our team to @acme last month, no regrets.",
  "The @acme status page says all green, my build says otherwise.",
  "Someone at acme corp deserves a raise for these docs.",
] as const;

export const JOB_TALK = [
  "acme corp is hiring a platform engineer in Lisbon.",
  "Join @acme as a designer: remote, four days.",
  "Open role at acme corp: developer advocate.",
] as const;

export const COMMUNITY_TALK = [
  "Show and tell: my weekend build.",
  "Who is going to the meetup on Thursday?",
  "Looking for a second pair of eyes on this design.",
  "Weekly thread: what did you ship?",
  "Found a neat trick for local test networks.",
  "Beginner question, please be gentle.",
] as const;

/** The words for how an alert came to its sink, used by the page and by `explain`. */
import type { ExplainDelivery } from "../schema/explain-view.ts";
import type { EditView, PathSilenceView } from "../schema/path-view.ts";

/** Returns what led the alert to its sink, each fact with its title. */
export function pathFacts(delivery: ExplainDelivery): readonly (readonly [string, string])[] {
  const {
    group = [],
    throttle,
    silence,
    replayed_at: replayedAt,
    joined_event: joined,
    edit,
  } = delivery;
  const facts: readonly (readonly [title: string, text: string | null | undefined])[] = [
    ["route", routeText(delivery)],
    ["group", group.length === 0 ? null : group.join(", ")],
    ["throttle", throttle],
    ["silence", silence === null || silence === undefined ? null : silenceText(silence)],
    ["with", joined === null || joined === undefined ? null : `event ${joined}`],
    ["thread", threadText(delivery)],
    ["template", templateText(delivery)],
    ["repeat", repeatText(delivery)],
    ["replayed", replayedAt === null || replayedAt === undefined ? null : timeText(replayedAt)],
    ["edit", edit === null || edit === undefined ? null : editText(edit)],
    ...escalationLines(delivery),
  ];
  return facts.flatMap(([title, text]) =>
    text === null || text === undefined ? [] : [[title, text] as const],
  );
}

function routeText({ routed_by: by, route, matchers = [] }: ExplainDelivery): string | null {
  if (by === undefined) return null;
  if (by === "watch") return "the watch's own sink";
  if (by === "ops") return "ops.sink";
  if (by === "replay") return "none: a replay sent it there";
  if (by === "escalation") return "none: an `escalate` names the sink";
  if (by === "unknown") return "the current configuration would not send it there";
  return matchers.length === 0 || route === undefined
    ? (route ?? null)
    : `${route} (${matchers.join(", ")})`;
}

function threadText({ thread, state }: ExplainDelivery): string | null {
  if (thread === null || thread === undefined) return null;
  if (thread.is_first) return "this message is the first of its thread";
  const place = `below message ${thread.first_message}`;
  if (thread.ref !== null) return `${place}, stored there as ${thread.ref}`;
  return state === "sent" ? place : `${place}, which is sent first`;
}

function templateText({ template, template_error: error }: ExplainDelivery): string | null {
  if (template === null || template === undefined) return null;
  return error === null || error === undefined
    ? template
    : `${template} failed, the default message was sent: ${error}`;
}

function repeatText({ repeat }: ExplainDelivery): string | null {
  if (repeat === null || repeat === undefined) return null;
  const before =
    repeat.count === 0
      ? ""
      : `, sent again ${repeat.count === 1 ? "once" : `${repeat.count} times`} so far`;
  const next =
    repeat.next_at === null
      ? "only once more, when the value is back to normal"
      : `${timeText(repeat.next_at)} while the value stays past its threshold`;
  return `${next}${before}`;
}

function silenceText({ id, matchers, author, comment, ends_at: endsAt }: PathSilenceView): string {
  const by = author === "" ? "" : ` by ${author}`;
  const until = endsAt === null ? "" : ` until ${timeText(endsAt)}`;
  return `${id}${by}${until}${matchers.length === 0 ? "" : ` (${matchers.join(", ")})`}${comment === "" ? "" : `: ${comment}`}`;
}

const EDITS: Readonly<Record<EditView["state"], string>> = {
  waiting: "waits until",
  done: "the message shows the latest known version of its tweet",
  dropped: "dropped, until the tweet changes again",
  refused: "the message cannot be edited",
};

function editText({ state, due_at: dueAt, edited_at: editedAt, error }: EditView): string {
  const last = editedAt === null ? "" : `, last edited ${timeText(editedAt)}`;
  return `${EDITS[state]}${dueAt === null ? "" : ` ${timeText(dueAt)}`}${last}${error === "" ? "" : `: ${error}`}`;
}

const timeText = (iso: string): string => iso.slice(0, 19).replace("T", " ");

/** Returns a line for each step, and one that says why the others do not follow. */
function escalationLines({
  escalation,
}: ExplainDelivery): readonly (readonly [title: string, text: string])[] {
  if (escalation === null || escalation === undefined) return [];
  const { ended, steps } = escalation;
  const lines = steps.map(({ sink, after, state, at, event }) => {
    const time = at === null ? "" : ` ${timeText(at)}`;
    const text = {
      planned: at === null ? "not sent" : `due${time} unless somebody acknowledges the alert`,
      sent: `sent${time}, event ${event ?? ""}`,
      passed: `passed over${time}, because its \`when\` was false`,
      dropped: `dropped${time}, because the configuration did not have it any more`,
    }[state];
    return ["escalate", `to ${sink} after ${after}: ${text}`] as const;
  });
  return ended === null || ended === "done"
    ? lines
    : [...lines, ["escalate", `nothing more: ${ended}`] as const];
}

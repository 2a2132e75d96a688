/**
 * Finds the alerts on the same subject that a sink had earlier. A new alert waits behind those that
 * are still on their way, even if they are in other groups, and a follow-up learns which alert it
 * is about.
 */
import { groupBy } from "../../model/group-by.ts";
import type { AlertSubject, NewDelivery } from "../../model/poll-store.ts";
import type { DeliveriesTable } from "../db/outbox-tables.ts";
import { fromText } from "../db/json-text.ts";
import { type Executor, listStatement } from "../db/statement.ts";

/**
 * An alert on a subject at a sink. If its delivery joined another one, `id` and `isPending` are
 * those of the other delivery.
 */
interface EarlierAlert {
  readonly id: number;
  /** The id of the delivery that was created for this alert. */
  readonly ownId: number;
  readonly eventId: string;
  readonly sink: string;
  readonly about: AlertSubject;
  readonly isFollowUp: boolean;
  readonly isPending: boolean;
}

const onSubjects = listStatement<object, string>()((on, list) =>
  on
    .selectFrom("events as e")
    .innerJoin("deliveries as d", "d.event_id", "e.id")
    .leftJoin("deliveries as j", "j.id", "d.joined_id")
    .leftJoin("messages as m", (join) =>
      join.onRef("m.id", "=", (eb) => eb.fn.coalesce("j.message_id", "d.message_id")),
    )
    .select((eb) => [
      "e.id as event_id",
      "e.watch_key",
      "e.subject",
      "e.labels",
      "d.id as own_id",
      "d.sink",
      "d.follows_id",
      "m.state as message_state",
      eb.fn.coalesce("j.id", "d.id").as("id"),
      eb.fn.coalesce("j.state", "d.state").as("state"),
    ])
    .where("e.subject", "in", list)
    .orderBy("d.id"),
);

export class EarlierAlerts {
  /** The alerts by sink, watch and subject, because a poll can find thousands of subjects. */
  readonly #known: Map<string, EarlierAlert[]>;

  private constructor(known: readonly EarlierAlert[]) {
    this.#known = groupBy(known, placeOf);
  }

  static async load(on: Executor, deliveries: readonly NewDelivery[]): Promise<EarlierAlerts> {
    const subjects = new Set(deliveries.flatMap(({ about }) => about?.subject ?? []));
    const { rows } = await onSubjects(on, [...subjects], {});
    const alerts = rows.map((row): EarlierAlert => {
      const { target = "" } = fromText<{ readonly target?: string }>(row.labels);
      return {
        id: Number(row.id),
        ownId: Number(row.own_id),
        eventId: row.event_id,
        sink: row.sink,
        about: { watchKey: row.watch_key, subject: row.subject, target },
        isFollowUp: row.follows_id !== null,
        isPending: row.message_state === "open" || row.state === "waiting",
      };
    });
    return new EarlierAlerts(alerts);
  }

  /** Records in the row which alert it waits behind and which one it follows. */
  place(row: DeliveriesTable, { about, follows }: NewDelivery): void {
    if (about === undefined) return;
    const onSubject = this.#known.get(placeOf({ sink: row.sink, about })) ?? [];
    const earlier = onSubject.filter((alert) => isAbout(alert, about) && alert.id !== row.id);
    row.after_id = earlier.findLast(({ isPending }) => isPending)?.id ?? null;
    if (follows === undefined) return;
    const followed = earlier.find(({ eventId, isFollowUp }) =>
      follows.eventId === undefined ? !isFollowUp : eventId === follows.eventId,
    );
    row.follows_id = (followed ?? earlier[0])?.ownId ?? null;
  }

  /**
   * Adds a new alert, so that further alerts of the same commit can wait behind it. Does nothing if
   * the alert is not sent on its own.
   */
  add(row: DeliveriesTable, { about, follows }: NewDelivery): void {
    if (about === undefined || row.state !== "waiting") return;
    const { id, event_id: eventId, sink } = row;
    const isFollowUp = follows !== undefined;
    const added = { id, ownId: id, eventId, sink, about, isFollowUp, isPending: true };
    const place = placeOf(added);
    const onSubject = this.#known.get(place);
    if (onSubject === undefined) this.#known.set(place, [added]);
    else onSubject.push(added);
  }
}

const placeOf = ({ sink, about }: Pick<EarlierAlert, "sink" | "about">): string =>
  `${sink}\n${about.watchKey}\n${about.subject}`;

/**
 * Whether an earlier alert on the same subject is about what a new one is about. If the new one
 * names a target, the target must be the same, because an account may be on the lists of several
 * targets. A tweet is the same whichever target it was found for.
 */
const isAbout = ({ about: { target } }: EarlierAlert, about: AlertSubject): boolean =>
  about.target === undefined || about.target === target;

/** An Outbox in memory, as simple as the port allows: it outlives the pumps of a test, as the file outlives a process. */
import type { ChirpEvent } from "../../src/model/event.ts";
import { announcementGroup, DIGEST_PREFIX } from "../../src/model/digest.ts";
import type { DeliveryResult, DueGroup, DueMessage, NewMessage, Outbox, SinkHealth } from "../../src/model/outbox.ts";

interface Delivery {
  readonly id: string;
  readonly sink: string;
  groupKey: string;
  originalGroupKey?: string;
  readonly throttleKey: string | null;
  readonly event: ChirpEvent;
  readonly watches: readonly string[];
  dueAtMs: number;
  sealed: boolean;
}

interface Message extends NewMessage {
  readonly seq: number;
  state: "open" | "sent" | "dead";
  attempts: number;
  firstAttemptAtMs: number | null;
  nextAttemptAtMs: number;
  ref: string | undefined;
  error: string;
}

export interface Added {
  readonly sink?: string;
  readonly groupKey?: string;
  readonly throttleKey?: string;
  readonly dueAtMs?: number;
  readonly watches?: readonly string[];
}

export interface MemoryOutbox extends Outbox {
  /** A delivery to sink `hook`, alone in its group and due at once unless told otherwise. */
  add(event: ChirpEvent, options?: Added): void;
  readonly messages: readonly Message[];
  readonly deliveries: readonly Delivery[];
  health(sink: string): SinkHealth | undefined;
  /** Every call throws until told otherwise. */
  breakDown(broken: boolean): void;
}

export function createMemoryOutbox(): MemoryOutbox {
  const deliveries: Delivery[] = [];
  const messages: Message[] = [];
  const healths = new Map<string, SinkHealth>();
  const digestsSealed = new Map<string, number>();
  let broken = false;

  const guard = async () => {
    if (broken) throw new Error("the disk is full");
  };
  const open = (sink: string) => messages.filter((message) => message.state === "open" && message.sink === sink);
  const isBlocked = (delivery: Delivery) => open(delivery.sink).some((message) => message.groupKey === delivery.groupKey);
  const isHead = (message: Message) =>
    !messages.some(
      (older) => older.state === "open" && older.sink === message.sink && older.groupKey === message.groupKey && older.seq < message.seq,
    );
  const waiting = (sink: string) => deliveries.filter((delivery) => !delivery.sealed && delivery.sink === sink);
  const push = (message: NewMessage) => {
    const fresh = { attempts: 0, firstAttemptAtMs: null, ref: undefined, error: "" };
    messages.push({ ...structuredClone(message), ...fresh, seq: messages.length, state: "open", nextAttemptAtMs: message.sealedAtMs });
  };
  const apply = (message: Message, result: DeliveryResult) => {
    message.firstAttemptAtMs ??= result.atMs;
    if (result.kind === "sent" || result.countAttempt) message.attempts += 1;
    if (result.kind === "retry") message.nextAttemptAtMs = result.nextAttemptAtMs;
    else message.state = result.kind;
    if (result.kind === "sent") message.ref = result.ref;
    else message.error = result.error;
  };

  return {
    messages,
    deliveries,
    health: (sink) => healths.get(sink),
    breakDown: (next) => {
      broken = next;
    },
    add(event, options = {}) {
      const { sink = "hook", groupKey = event.id, throttleKey = null, dueAtMs = 0, watches = [event.watch] } = options;
      deliveries.push({ id: `d${deliveries.length}`, sink, groupKey, throttleKey, event, watches, dueAtMs, sealed: false });
    },
    async dueWork({ nowMs, sinks, busy, limit }) {
      await guard();
      const isFree = (row: { sink: string; groupKey: string }) => !busy.has(`${row.sink}\n${row.groupKey}`);
      const due = sinks
        .flatMap(open)
        .filter((message) => message.nextAttemptAtMs <= nowMs && isFree(message) && isHead(message))
        .sort((a, b) => a.nextAttemptAtMs - b.nextAttemptAtMs)
        .slice(0, limit);
      const rows = sinks.flatMap(waiting).filter((row) => row.dueAtMs <= nowMs && isFree(row) && !isBlocked(row));
      const refOf = ({ parentId }: Message) => messages.find(({ id }) => id === parentId)?.ref;
      return {
        messages: due.map((message) => ({ ...dueMessage(message), ...threadOf(refOf(message)) })),
        groups: groupsOf(rows).slice(0, limit - due.length),
      };
    },
    async nextDueAt(sinks) {
      await guard();
      const times = [
        ...sinks.flatMap(open).map((message) => message.nextAttemptAtMs),
        ...sinks
          .flatMap(waiting)
          .filter((row) => !isBlocked(row))
          .map((row) => row.dueAtMs),
      ];
      return times.length === 0 ? null : Math.min(...times);
    },
    async seal(sealed) {
      await guard();
      for (const message of sealed) {
        const ids = [...message.deliveryIds, ...(message.summarisedIds ?? [])];
        const members = deliveries.filter((delivery) => ids.includes(delivery.id));
        if (members.length !== ids.length || members.some((member) => member.sealed)) throw new Error("sealed twice");
        for (const member of members) member.sealed = true;
        if (message.groupKey.startsWith(DIGEST_PREFIX)) digestsSealed.set(`${message.sink}\n${message.groupKey}`, message.sealedAtMs);
        push(message);
      }
    },
    async record(results) {
      await guard();
      for (const result of results) {
        const message = messages.find(({ id, state }) => id === result.messageId && state === "open");
        if (message !== undefined) apply(message, result);
      }
    },
    async gather({ sink, throttleKey, nowMs, digestKey, digestDueAtMs, announcement }) {
      await guard();
      const isMeant = (row: Delivery) => row.throttleKey === throttleKey && row.dueAtMs <= nowMs && !row.groupKey.startsWith(DIGEST_PREFIX);
      for (const row of waiting(sink).filter((one) => isMeant(one) && !isBlocked(one)))
        Object.assign(row, { originalGroupKey: row.groupKey, groupKey: digestKey, dueAtMs: digestDueAtMs });
      if (announcement !== undefined) push(announcement);
    },
    throttleState: async ({ sink, throttleKey, digestKey, sinceMs }) => {
      const gathered = waiting(sink).filter((row) => row.groupKey === digestKey);
      return {
        sealed: messages.filter((message) => message.throttleKey === throttleKey && message.sealedAtMs > sinceMs).length,
        digestDueAtMs: gathered.length === 0 ? null : Math.min(...gathered.map((row) => row.dueAtMs)),
        digestSealedAtMs: digestsSealed.get(`${sink}\n${digestKey}`) ?? null,
        announcedAtMs: messages.findLast(({ groupKey }) => groupKey === announcementGroup(throttleKey))?.sealedAtMs ?? null,
      };
    },
    loadSinkHealth: async () => [...healths.values()],
    saveSinkHealth: async (health) => {
      await guard();
      healths.set(health.sink, health);
    },
    wakeSink: async (sink, nowMs) => {
      for (const message of open(sink)) message.nextAttemptAtMs = Math.min(message.nextAttemptAtMs, nowMs);
    },
    outboxStats: async () => [],
    countWaiting: async () => [],
  };
}

const threadOf = (ref: string | undefined) => (ref === undefined ? {} : { threadRef: ref });

const dueMessage = (message: Message): DueMessage => ({
  id: message.id,
  sink: message.sink,
  groupKey: message.groupKey,
  sealedAtMs: message.sealedAtMs,
  body: message.body,
  attempts: message.attempts,
  firstAttemptAtMs: message.firstAttemptAtMs,
});

const memberOf = ({ id, event, watches, originalGroupKey }: Delivery) => ({
  deliveryId: id,
  event,
  watches,
  ...(originalGroupKey === undefined ? {} : { originalGroupKey }),
});

function groupsOf(rows: readonly Delivery[]): DueGroup[] {
  const groups = new Map<string, Delivery[]>();
  for (const row of rows) {
    const key = `${row.sink}\n${row.groupKey}`;
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((members) => {
    const [first] = members;
    if (first === undefined) return [];
    const { sink, groupKey, throttleKey } = first;
    return [{ sink, groupKey, throttleKey, members: members.map(memberOf) }];
  });
}

/**
 * The history of the world in a simulation: follows the orders of a scenario and records what was
 * really there when.
 */
import type { Json, JsonObject } from "../../../src/model/json.ts";
import { hash32 } from "../../../src/sandbox/world/chance/dice.ts";
import type { WorldOrder } from "../draw/scenario.ts";
import { type SimService, writtenText } from "./service.ts";

/** The facts about a tweet, which only the world knows. */
export interface TweetFact {
  readonly id: string;
  /** The name of the post; "" if a fault created it. */
  readonly name: string;
  /** The author's first handle, whatever it is now; "" for a stranger. */
  readonly by: string;
  readonly text: string;
  readonly kind: "post" | "reply" | "quote" | "retweet";
  /** The name and the id of the post that this one is about. */
  readonly of: string | undefined;
  readonly ofId: string | undefined;
  readonly lang: string;
  readonly community: string | undefined;
  readonly conversation: string;
  readonly postedMs: number;
  readonly visibleMs: number;
  /** When it becomes visible on the service's own clock, which can be wrong. */
  readonly visibleAtService: number;
  /** Spans in which it was deleted. */
  readonly hidden: { readonly fromMs: number; toMs: number }[];
  /** The texts that later edits gave it. */
  readonly edits: { readonly atMs: number; readonly text: string }[];
}

/** A value that holds from this time on. */
export interface Fact {
  readonly atMs: number;
  readonly value: Json;
}

export interface WorldHistory {
  /**
   * The values over time, in order, by names such as `follow WHO WHOM`, `in GROUP WHO`, `profile
   * WHO FIELD`, `score WHO NAME` and `count POST NAME`. A name without an entry was never ordered.
   */
  readonly facts: ReadonlyMap<string, readonly Fact[]>;
  /** Returns the first handle of an account. */
  handleOf(userId: string): string | undefined;
  /** Returns everything that was ever posted, by orders and by faults. */
  tweets(): readonly TweetFact[];
  follow(order: WorldOrder): void;
  /** Returns the category of an account in the service, 0 to 9. The first three have names. */
  categoryOf(handle: string): number;
  /** Returns a configuration text with the ids of the posts and people that it names. */
  resolve(text: string): string;
}

const ABOUT = { reply: "reply_to", quote: "quote_of", retweet: "retweet_of" } as const;

export function createWorldHistory(service: SimService, startMs: number): WorldHistory {
  const { people, groups, tweets } = service.world;
  const facts: TweetFact[] = [];
  const byName = new Map<string, TweetFact>();
  const keys = new Map<string, number>();
  const history = new Map<string, Fact[]>();
  let spaceId = "";
  const note = (name: string, atMs: number, value: Json) =>
    history.set(name, [...(history.get(name) ?? []), { atMs, value }]);
  const factOf = (name: string): TweetFact => {
    const fact = byName.get(name);
    if (fact === undefined) throw new Error(`there is no post ${name}`);
    return fact;
  };
  /** Returns the same key for a person after a rename. */
  const keyOf = (handle: string): number => {
    const known = keys.get(handle) ?? people.ensure(handle);
    keys.set(handle, known);
    return known;
  };
  const handleOf = (handle: string): string => people.usernameOf(keyOf(handle));

  const post = (order: WorldOrder & { do: "post" }) => {
    const { by, text, kind, of, lang = "en", community, lateMs = 0 } = order;
    const postedMs = startMs + order.atMs;
    const about = of === undefined ? undefined : factOf(of);
    // Nobody can answer a deleted post.
    const isPost = kind === "post" || about === undefined || tweets.find(about.id) === undefined;
    const { ids } = service.order("POST", "tweets", {
      username: handleOf(by),
      text,
      lang,
      created_at: new Date(postedMs).toISOString(),
      ...(isPost ? {} : { [ABOUT[kind]]: about.id }),
      ...(community === undefined ? {} : { community_id: community }),
      ...(lateMs === 0 ? {} : { visible_after_ms: lateMs }),
    }) as { readonly ids: readonly string[] };
    const id = ids[0] ?? "";
    const record = tweets.find(id);
    const fact: TweetFact = {
      ...{
        id,
        name: order.name,
        by,
        text: kind === "retweet" && !isPost ? `RT @${about.by}: ${about.text}` : text,
        lang,
        community,
        postedMs,
        visibleMs: postedMs + lateMs,
        visibleAtService: record?.visibleMs ?? postedMs + lateMs,
        hidden: [],
        edits: [],
      },
      ...(isPost ? { kind: "post", of: undefined, ofId: undefined } : { kind, of, ofId: about.id }),
      conversation: record?.conversationId ?? id,
    };
    facts.push(fact);
    byName.set(order.name, fact);
  };
  const putCommunity = ({ id, name, members, atMs }: WorldOrder & { do: "community" }) => {
    const memberKeys = members.map(keyOf);
    const createdMs = startMs + atMs;
    groups.putCommunity({
      id,
      name,
      description: "A community.",
      share: 0,
      createdMs,
      creator: memberKeys[0] ?? 0,
      members: memberKeys,
    });
  };
  /** Returns the posts that faults created. */
  const strangers = (): readonly TweetFact[] => {
    const known = new Set(facts.map(({ id }) => id));
    const names = new Map([...keys].map(([handle, key]) => [key, handle]));
    return [...tweets.scan(Number.MAX_SAFE_INTEGER)].flatMap((record): readonly TweetFact[] => {
      if (known.has(record.id)) return [];
      const { id, text, kind, lang, atMs, visibleMs, communityId, conversationId, targetId } =
        record;
      const about = {
        of: undefined,
        ofId: targetId,
        community: communityId,
        conversation: conversationId,
      };
      const times = { postedMs: atMs, visibleMs, visibleAtService: visibleMs };
      return [
        {
          id,
          name: "",
          by: names.get(record.author) ?? "",
          text: writtenText(text),
          kind,
          lang,
          ...about,
          ...times,
          hidden: [],
          edits: [],
        },
      ];
    });
  };
  const resolve = (text: string): string =>
    text
      .replace(/%post:(\w+)%/g, (_all, name: string) => factOf(name).id)
      .replaceAll("%space:room%", spaceId)
      .replace(/%user:(\w+)%/g, (_all, handle: string) => people.idOf(keyOf(handle)));
  const followOrder = (
    { path, body, facts: known }: WorldOrder & { do: "order" },
    atMs: number,
  ) => {
    const reply = service.order(
      "POST",
      path,
      JSON.parse(resolve(JSON.stringify(body))) as JsonObject,
    );
    if (path === "spaces") spaceId = reply["id"] as string;
    for (const [name, value] of Object.entries(known)) note(name, atMs, value);
  };
  return {
    resolve,
    facts: history,
    handleOf: (userId) => [...keys].find(([, key]) => people.idOf(key) === userId)?.[0],
    tweets: () => [...facts, ...strangers()],
    categoryOf: (handle) => hash32(service.world.seed, "category", keyOf(handle)) % 10,
    follow(order) {
      const atMs = startMs + order.atMs;
      service.settleFaults();
      switch (order.do) {
        case "post":
          return post(order);
        case "remove": {
          const fact = factOf(order.post);
          service.order("DELETE", `tweets/${fact.id}`);
          return void fact.hidden.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY });
        }
        case "restore": {
          const fact = factOf(order.post);
          service.order("POST", "restore", { id: fact.id });
          const last = fact.hidden.at(-1);
          if (last !== undefined) last.toMs = atMs;
          return;
        }
        case "edit": {
          const fact = factOf(order.post);
          // Nobody can edit a deleted post.
          if (
            service.world.tweets.find(fact.id) === undefined ||
            fact.hidden.some(({ toMs }) => toMs > atMs)
          )
            return;
          service.order("PATCH", `tweets/${fact.id}`, { full_text: order.text });
          return void fact.edits.push({ atMs, text: order.text });
        }
        case "follow":
          note(`follow ${order.who} ${order.whom}`, atMs, true);
          return void service.order("POST", "follows", {
            target: handleOf(order.whom),
            follower: handleOf(order.who),
          });
        case "unfollow":
          note(`follow ${order.who} ${order.whom}`, atMs, false);
          return void service.order("DELETE", "follows", {
            target: handleOf(order.whom),
            follower: handleOf(order.who),
          });
        case "list":
          for (const handle of order.members) note(`in ${order.id} ${handle}`, atMs, true);
          return void service.order("POST", "lists", {
            id: order.id,
            members: order.members.map(handleOf),
          });
        case "community":
          for (const handle of order.members) note(`in ${order.id} ${handle}`, atMs, true);
          return putCommunity(order);
        case "member":
          note(`in ${order.group} ${order.handle}`, atMs, order.isIn);
          return void service.order(order.isIn ? "POST" : "DELETE", "members", {
            group: order.group,
            username: handleOf(order.handle),
          });
        case "account":
          for (const [field, value] of Object.entries(order.change))
            note(`profile ${order.handle} ${field}`, atMs, value ?? null);
          return void service.order("POST", "accounts", {
            username: handleOf(order.handle),
            ...order.change,
          });
        case "score":
          for (const [name, value] of Object.entries(order.change))
            note(`score ${order.handle} ${name}`, atMs, value);
          return void service.order("POST", "scores", {
            username: handleOf(order.handle),
            indexed: true,
            ...order.change,
          });
        case "count":
          for (const [name, value] of Object.entries(order.change))
            note(`count ${order.post} ${name}`, atMs, value);
          return void service.order("PATCH", `tweets/${factOf(order.post).id}`, order.change);
        case "order":
          return followOrder(order, atMs);
      }
    },
  };
}

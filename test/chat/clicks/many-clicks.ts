/**
 * Plays many clicks on one message of the whole daemon, which is killed meanwhile, loses its
 * sockets, and receives some clicks twice. Compares what the message shows, and what the state
 * holds, with the clicks.
 */
import { onTestFinished } from "vitest";
import { loadDriver } from "../../../src/state/db/driver.ts";
import { createSystemClock } from "../../../src/runtime/system-clock.ts";
import {
  BOT_TOKEN,
  MANAGE_MESSAGES,
  startDiscordGatewayStandIn,
} from "../../support/discord-gateway-stand-in.ts";
import { type InnerDaemon, startInnerDaemon } from "../../support/inner-daemon.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { startSlackSocketStandIn, APP_TOKEN } from "../../support/slack-socket-stand-in.ts";
import { until } from "../../support/until.ts";

const Database = loadDriver();
const MINUTE = 60_000;
const PEOPLE = [
  { id: "1", name: "Ada" },
  { id: "2", name: "Bob" },
  { id: "3", name: "Eve" },
] as const;
interface Person {
  readonly id: string;
  /**
   * The person's name. It also identifies the click, so that shown and stored names say which click
   * they come from.
   */
  readonly name: string;
}

export type Vendor = "slack" | "discord";

/** A click, which may be delivered several times. */
interface ClickOnce {
  readonly person: Person;
  readonly verb: "acknowledge" | "undo";
  readonly id: string;
}

/** The vendor's side of these clicks. */
interface Stage {
  readonly sink: object;
  readonly chat: object;
  /** Returns the id of the message in the state, as its buttons have it. */
  messageId(): string | undefined;
  shown(): string;
  /** Delivers a click. Resolves to whether it was answered; false if its socket was lost. */
  deliver(click: ClickOnce): Promise<boolean>;
  drop(): void;
}

async function stageOf(vendor: Vendor): Promise<Stage> {
  const clock = createSystemClock();
  if (vendor === "slack") {
    const slack = await startSlackSocketStandIn(clock);
    onTestFinished(() => slack.close());
    const ts = () => slack.messages[0]?.id ?? "";
    const base = { type: "slack", token: "xoxb-1", channel: "#brand", api_url: slack.apiUrl };
    return {
      sink: { ...base, actions: ["acknowledge"] },
      chat: { slack: { app_token: APP_TOKEN } },
      messageId: () => Object.values(slack.buttons(ts()))[0]?.split(":")[2],
      shown: () => slack.messages[0]?.shown ?? "",
      deliver: async ({ person, verb, id }) =>
        (await slack.click({
          ...{ person: { id: `U${person.id}`, name: person.name }, ts: ts(), actionTs: id },
          actionId: `chirpwatch:${verb}:${MESSAGE.id}`,
        })) === "acknowledged",
      drop: slack.drop,
    };
  }
  const discord = await startDiscordGatewayStandIn(clock);
  onTestFinished(() => discord.close());
  const id = () => discord.messages[0]?.id ?? "";
  const base = { type: "discord", token: BOT_TOKEN, channel_id: "55", api_url: discord.apiUrl };
  return {
    sink: { ...base, actions: ["acknowledge"] },
    chat: {},
    messageId: () => Object.values(discord.buttons(id()))[0]?.split(":")[2],
    shown: () => discord.messages[0]?.shown ?? "",
    deliver: async (click) =>
      (await discord.click({
        person: { ...click.person, permissions: MANAGE_MESSAGES },
        customId: `chirpwatch:${click.verb}:${MESSAGE.id}`,
        id: click.id,
      })) === "deferred",
    drop: discord.drop,
  };
}

/** A click that is unanswered after this many checks is delivered again. */
const MAX_CHECKS = 25;
const MESSAGE = { id: "" };

export interface ClicksPlayed {
  /** The objections; empty if all is well. */
  readonly wrong: readonly string[];
  readonly kills: number;
  /** The number of clicks that were cut off by a kill after they had already changed something. */
  readonly cutAfterEffect: number;
  readonly lostSockets: number;
  readonly redeliveries: number;
  readonly effects: number;
}

/** Plays this many clicks. */
export async function playClicks(
  vendor: Vendor,
  { clicks, seed }: { readonly clicks: number; readonly seed: number },
): Promise<ClicksPlayed> {
  const stage = await stageOf(vendor);
  const daemon = await startInnerDaemon({
    isKillable: true,
    watches: () => ({ brand: { type: "timeline", accounts: ["one"], schedule: "@every 1h" } }),
    more: {
      sinks: { brand: stage.sink, ops: { type: "console" } },
      route: { sink: "brand" },
      chat: stage.chat,
    },
    prepare: (asked) => asked("tweets", { username: "one", text: "old" }),
  });
  await daemon.clock.advance(5 * MINUTE);
  await daemon.control("tweets", { username: "one", text: "news" });
  await until("a message", async () => {
    await daemon.clock.advance(20 * MINUTE);
    return stage.messageId();
  });
  MESSAGE.id = stage.messageId() ?? "";
  return new Play(stage, daemon, seed).run(clicks);
}

/** The number of clicks that may be delivered again later. A vendor gives up much sooner. */
const MAX_OLD = 100;

class Play {
  readonly #stage: Stage;
  readonly #daemon: InnerDaemon;
  readonly #random: { float(): number };
  readonly #wrong: string[] = [];
  readonly #counts = { kills: 0, cutAfterEffect: 0, lostSockets: 0, redeliveries: 0, effects: 0 };
  /** The person who has acknowledged the alert. */
  #by: string | undefined;
  /** All values stored since the message was last compared. The message may show any of them. */
  #since = new Set<string | undefined>([undefined]);

  constructor(stage: Stage, daemon: InnerDaemon, seed: number) {
    this.#stage = stage;
    this.#daemon = daemon;
    this.#random = createSeededRandom(seed);
  }

  async run(clicks: number): Promise<ClicksPlayed> {
    const old: ClickOnce[] = [];
    for (let number = 1; number <= clicks; number += 1) {
      const click = this.#draw(number);
      if (this.#chance(0.05)) this.#drop();
      if (this.#chance(0.03)) await this.#cutOff(click);
      else await this.#take(click);
      if (this.#chance(0.2)) await this.#again(click);
      const former = old[Math.floor(this.#random.float() * old.length)];
      if (former !== undefined && this.#chance(0.1)) await this.#again(former);
      this.#observe(`click ${number}`);
      old.push(click);
      if (old.length > MAX_OLD) old.shift();
      if (number % 10 === 0) await this.#compare(`click ${number}`);
    }
    await this.#compare("the end");
    this.#count();
    return { wrong: this.#wrong, ...this.#counts };
  }

  #chance(share: number): boolean {
    return this.#random.float() < share;
  }

  #draw(number: number): ClickOnce {
    const { id, name } = PEOPLE[Math.floor(this.#random.float() * PEOPLE.length)] ?? PEOPLE[0];
    return {
      person: { id, name: `${name}${number}` },
      verb: this.#chance(0.5) ? "acknowledge" : "undo",
      id: `${number}000001`,
    };
  }

  #drop(): void {
    this.#stage.drop();
    this.#counts.lostSockets += 1;
  }

  /** Delivers a click until it is answered, as a vendor or a person does. */
  async #answered(click: ClickOnce): Promise<void> {
    let checks = MAX_CHECKS;
    let answer: boolean | undefined = false;
    // Some clicks arrive twice at the same time.
    if (this.#chance(0.05)) void this.#stage.deliver(click);
    await until(
      "an answer to a click",
      async () => {
        checks += 1;
        if (answer === false || checks > MAX_CHECKS) {
          [checks, answer] = [0, undefined];
          void this.#stage.deliver(click).then((isAnswered) => (answer = isAnswered));
        }
        await this.#daemon.clock.advance(200);
        return answer;
      },
      () => JSON.stringify(this.#daemon.logged.slice(-6)),
    );
    await this.#daemon.clock.advance(200);
  }

  async #take(click: ClickOnce): Promise<void> {
    await this.#answered(click);
    const next = this.#next(click);
    if (next !== this.#by) this.#counts.effects += 1;
    this.#by = next;
    this.#since.add(next);
  }

  /** Returns who has acknowledged it once the click has taken effect. */
  #next({ verb, person }: ClickOnce): string | undefined {
    return verb === "undo" ? undefined : (this.#by ?? person.name);
  }

  async #again(click: ClickOnce): Promise<void> {
    this.#counts.redeliveries += 1;
    await this.#answered(click);
  }

  /**
   * Kills the daemon while it handles the click. The click has taken effect or not, and has surely
   * taken effect once it was delivered again.
   */
  async #cutOff(click: ClickOnce): Promise<void> {
    const { kill, start } = this.#daemon;
    this.#counts.kills += 1;
    void this.#stage.deliver(click);
    await kill(Math.floor(this.#random.float() * 12), this.#stage.drop);
    const [before, after] = [this.#by, this.#next(click)];
    await start();
    const stored = await this.#stored();
    this.#since.add(stored);
    this.#observe("a kill");
    if (stored !== before && stored !== after)
      this.#wrong.push(`a click that a kill cut off left ${stored}, not ${before} or ${after}`);
    if (stored === after && after !== before) this.#counts.cutAfterEffect += 1;
    await this.#again(click);
    const later = await this.#stored();
    if (later !== after)
      this.#wrong.push(`a click that was delivered again after a kill left ${later}, not ${after}`);
    if (after !== before) this.#counts.effects += 1;
    this.#by = after;
    this.#since.add(after);
  }

  async #stored(): Promise<string | undefined> {
    const { events } = await this.#daemon.call("events?alerts=true");
    return events[0]?.acknowledged?.by ?? undefined;
  }

  #shown(): string | undefined {
    return /Acknowledged by (\w+) at/.exec(this.#stage.shown())?.[1];
  }

  /** Edits follow within some seconds. Before, a message may show what held earlier. */
  #observe(when: string): void {
    const shown = this.#shown();
    if (!this.#since.has(shown))
      this.#wrong.push(`${when}: the message shows ${shown}, which is not stored`);
  }

  async #compare(when: string): Promise<void> {
    const stored = await this.#stored();
    if (stored !== this.#by) this.#wrong.push(`${when}: the state has ${stored}, not ${this.#by}`);
    await until(
      "the message as it is in the state",
      async () => {
        await this.#daemon.clock.advance(10_000);
        this.#observe(when);
        return this.#shown() === stored;
      },
      () => `${when}: ${this.#shown()} instead of ${stored}`,
    );
    this.#since = new Set([stored]);
  }

  /** Compares how often something took effect, which may not show in what is stored now. */
  #count(): void {
    const file = new Database(this.#daemon.config().state.path ?? "", { readonly: true });
    const { effects } = file
      .prepare("select count(*) as effects from audit where action like 'acknowledge%'")
      .get() as { readonly effects: number };
    file.close();
    if (effects !== this.#counts.effects)
      this.#wrong.push(`${effects} clicks took effect, not ${this.#counts.effects}`);
  }
}

/**
 * Many clicks on one message of the whole daemon, which is killed meanwhile, loses its sockets, and
 * gets clicks a second time. Holds what the message shows, and what the state has, against what was
 * clicked.
 */
import { onTestFinished } from "vitest";
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

const MINUTE = 60_000;
const PEOPLE = [
  { id: "1", name: "Ada" },
  { id: "2", name: "Bob" },
  { id: "3", name: "Eve" },
] as const;
type Person = (typeof PEOPLE)[number];

export type Vendor = "slack" | "discord";

/** A click, which may be delivered several times. */
interface ClickOnce {
  readonly person: Person;
  readonly verb: "acknowledge" | "undo";
  readonly id: string;
}

/** A vendor as far as these clicks go. */
interface Stage {
  readonly sink: object;
  readonly chat: object;
  /** The id of the message in the state, as its buttons have it. */
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

/** A click that was not answered after so many checks is delivered again. */
const MAX_CHECKS = 25;
const MESSAGE = { id: "" };

export interface ClicksPlayed {
  /** The objections; empty if all is well. */
  readonly wrong: readonly string[];
  readonly kills: number;
  /** How many of the clicks that a kill cut off had changed something already. */
  readonly cutAfterEffect: number;
  readonly lostSockets: number;
  readonly redeliveries: number;
  readonly effects: number;
}

/** Plays so many clicks. */
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

class Play {
  readonly #stage: Stage;
  readonly #daemon: InnerDaemon;
  readonly #random: { float(): number };
  readonly #wrong: string[] = [];
  readonly #counts = { kills: 0, cutAfterEffect: 0, lostSockets: 0, redeliveries: 0, effects: 0 };
  /** Everybody who ever was the one that acknowledged it. */
  readonly #shown = new Set<string | undefined>([undefined]);
  #by: string | undefined;

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
      old.push(click);
      if (number % 10 === 0) await this.#compare(`click ${number}`);
    }
    await this.#compare("the end");
    return { wrong: this.#wrong, ...this.#counts };
  }

  #chance(share: number): boolean {
    return this.#random.float() < share;
  }

  #draw(number: number): ClickOnce {
    const person = PEOPLE[Math.floor(this.#random.float() * PEOPLE.length)] ?? PEOPLE[0];
    return { person, verb: this.#chance(0.5) ? "acknowledge" : "undo", id: `${number}000001` };
  }

  #drop(): void {
    this.#stage.drop();
    this.#counts.lostSockets += 1;
  }

  /** Delivers a click until it is answered, as a vendor or a person does. */
  async #answered(click: ClickOnce): Promise<void> {
    let checks = MAX_CHECKS;
    let answer: boolean | undefined = false;
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
    this.#apply(click);
  }

  #apply({ verb, person }: ClickOnce): void {
    const before = this.#by;
    this.#by = verb === "undo" ? undefined : (before ?? person.name);
    if (this.#by !== before) this.#counts.effects += 1;
    this.#shown.add(this.#by);
  }

  async #again(click: ClickOnce): Promise<void> {
    this.#counts.redeliveries += 1;
    await this.#answered(click);
  }

  /** Kills the daemon on the way: the click took effect, or it did not and can be made again. */
  async #cutOff(click: ClickOnce): Promise<void> {
    const { kill, start } = this.#daemon;
    this.#counts.kills += 1;
    void this.#stage.deliver(click);
    await kill(Math.floor(this.#random.float() * 12), this.#stage.drop);
    const before = this.#by;
    this.#apply(click);
    const after = this.#by;
    await start();
    const stored = await this.#stored();
    if (stored !== before && stored !== after)
      this.#wrong.push(`a click that a kill cut off left ${stored}, not ${before} or ${after}`);
    if (stored === after && after !== before) this.#counts.cutAfterEffect += 1;
    this.#by = stored;
    // Nobody knows whether it was taken, so it counts as the same click from now on.
    await this.#again(click);
    const later = await this.#stored();
    if (later !== after && later !== stored)
      this.#wrong.push(`a click that was delivered again after a kill left ${later}`);
    this.#by = later;
    this.#shown.add(later);
  }

  async #stored(): Promise<string | undefined> {
    const { events } = await this.#daemon.call("events?alerts=true");
    return events[0]?.acknowledged?.by ?? undefined;
  }

  /** Edits follow within some seconds. Before, a message may show what held earlier. */
  async #compare(when: string): Promise<void> {
    const shownNow = () => /Acknowledged by (\w+) at/.exec(this.#stage.shown())?.[1];
    if (!this.#shown.has(shownNow()))
      this.#wrong.push(`${when}: the message shows ${shownNow()}, which never was`);
    await this.#daemon.clock.advance(10_000);
    const stored = await this.#stored();
    if (stored !== this.#by) this.#wrong.push(`${when}: the state has ${stored}, not ${this.#by}`);
    await until(
      "the message as it is in the state",
      async () => {
        await this.#daemon.clock.advance(MINUTE);
        return shownNow() === stored;
      },
      () => `${when}: ${shownNow()} instead of ${stored}`,
    );
  }
}

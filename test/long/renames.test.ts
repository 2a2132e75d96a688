/**
 * Tests accounts that change their handles while others take the old ones. Every watch type and
 * every parameter follows a named account by its id.
 */
import { expect, it } from "vitest";
import type { NamedAccount } from "../../src/model/account.ts";
import { WATCH_TYPES } from "../../src/watches/registry.ts";
import { type Move, prepareMoves } from "../e2e/watch-moves.ts";
import { type Control, type InnerDaemon, startInnerDaemon } from "../support/inner-daemon.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Returns the handles that the settings of a watch name, wherever they are. */
function handlesIn(settings: unknown): readonly string[] {
  if (typeof settings !== "object" || settings === null) return [];
  const { account, name } = settings as Partial<NamedAccount>;
  if (typeof name === "string" && account?.kind === "handle") return [account.handle];
  return Object.values(settings).flatMap(handlesIn);
}

function parsed({ settings }: Move): unknown {
  const schema = WATCH_TYPES.find(({ type }) => type === settings.type)?.schema();
  return schema?.parse(
    Object.fromEntries(Object.entries(settings).filter(([key]) => key in schema.shape)),
  );
}

/** Returns a slow schedule, because a day passes in the test. */
const paceOf = (settings: object): object =>
  "freshness" in settings ? { freshness: "2h" } : { schedule: "@every 2h" };

const now = (handle: string): string => `${handle}_now`;

/** Returns the types of the events since a moment, by watch. */
function alertedSince(daemon: InnerDaemon, before: number): Record<string, string[]> {
  const byWatch: Record<string, string[]> = {};
  for (const { watch, type } of daemon.hook.events().slice(before))
    (byWatch[watch] ??= []).push(type);
  return Object.fromEntries(Object.entries(byWatch).map(([watch, types]) => [watch, types.sort()]));
}

it("in every watch type, every account that is named is followed by its id, and whoever takes its handle is not", async () => {
  let renamed: readonly string[] = [];
  let moves: Readonly<Record<string, Move>> = {};
  const daemon = await startInnerDaemon({
    watches: () =>
      Object.fromEntries(
        Object.entries(moves).map(([id, { settings }]) => [
          id,
          { ...settings, ...paceOf(settings) },
        ]),
      ),
    async prepare(control) {
      const byNewHandle: Control = (path, body, method) => {
        const text = renamed.reduce(
          (all, name) => all.replaceAll(new RegExp(`\\b${name}\\b`, "g"), now(name)),
          JSON.stringify(body ?? null),
        );
        return control(path, body === undefined ? undefined : JSON.parse(text), method);
      };
      moves = await prepareMoves({ control: byNewHandle });
    },
  });
  expect(new Set(Object.values(moves).map(({ settings }) => settings.type))).toEqual(
    new Set(WATCH_TYPES.map(({ type }) => type)),
  );
  await daemon.clock.advance(3 * HOUR);
  expect(daemon.hook.events()).toEqual([]);

  const handles = [...new Set(Object.values(moves).flatMap((move) => handlesIn(parsed(move))))];
  expect(handles).toContain("m_followed");
  for (const handle of handles)
    await daemon.control("accounts", { username: handle, rename_to: now(handle) });
  for (const username of handles) {
    await daemon.control("accounts", { username, indexed: true });
    await daemon.control("tweets", { username, text: "quagga" });
    await daemon.control("follows", { follower: "rival", target: username });
  }
  renamed = handles;
  // The service is asked for mentions by handle, and the handle is looked up every six hours.
  await daemon.clock.advance(7 * HOUR);
  for (const username of handles)
    await daemon.control("tweets", { username: "alice", text: `hear, @${username}` });
  await daemon.clock.advance(2 * HOUR);
  const before = daemon.hook.events();
  expect(
    before
      .filter(({ type }) => !["profile.changed", "about.changed"].includes(type))
      .map(({ watch, subject }) => [watch, subject]),
  ).toEqual([]);

  const settings = Object.entries(moves).map(([watch, { eventTypes }]) => [
    watch,
    [...eventTypes].sort(),
  ]);
  for (const { move } of Object.values(moves)) await move();
  await daemon.clock.advance(26 * HOUR);
  expect(alertedSince(daemon, before.length)).toEqual(Object.fromEntries(settings));
  expect(new Set(daemon.opsAlerts().map(({ type }) => type))).toEqual(
    new Set(["list.incomplete", "target.renamed"]),
  );
  for (const handle of handles)
    expect(
      daemon.opsAlerts().filter(({ message }) => message.includes(`@${handle} was renamed`)).length,
    ).toBeLessThanOrEqual(1);
});

import { expect, it } from "vitest";
import { startEngineRig } from "../support/engine-rig.ts";
import { makeUser } from "../support/make-event.ts";
import { makeWatch } from "../support/make-watch.ts";
import { createScriptedUpstream } from "../support/scripted-upstream.ts";
import { createVirtualClock } from "../support/virtual-clock.ts";

it("goes on a second after the answers when every slot of the rate was under way at once, and not after their timeout", async () => {
  const clock = createVirtualClock(Date.UTC(2026, 2, 2, 12, 0, 0));
  const users = Array.from({ length: 60 }, (_, i) => makeUser(String(i + 1), `user${i + 1}`));
  const upstream = createScriptedUpstream(clock, users);
  upstream.on("user-tweets", () => ({ tweets: [] }));
  const watch = makeWatch("w", "timeline", { accounts: users.map(({ id }) => `id:${id}`) }, { strategy: "single" });
  const rig = await startEngineRig({ clock, upstream, watches: [watch] });
  await clock.advance(5_000);
  const asked = upstream.callsOf("user-tweets").length;
  await rig.close();
  expect(asked).toBe(60);
});

import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { due, find, found, future, past, set, type TimerRules } from "./scenario.ts";

export const erasureRules: TimerRules = {
  "erases a conversation's timers": async ({ timers, other, contents }) => {
    const secret = { conversationId: "secret c" };
    await set(timers, { ...secret, timerId: "secret 1", userId: "secret user", content: "a secret" });
    await set(timers, { ...secret, timerId: "secret 2", userId: "secret user", at: future() });
    await set(timers, { ...secret, timerId: "secret 3", userId: "v" });
    await set(timers, { conversationId: "c", timerId: "kept", userId: "v" });
    expect(expectOk(await other.deleteConversation("secret c"))).toBe(3);
    expect(await due(timers)).toEqual(["kept"]);
    expect(await found(timers, { userId: "v" })).toEqual(["kept"]);
    expect(await found(timers, { userId: "secret user" })).toEqual([]);
    expect((await contents?.()) ?? "").not.toContain("secret");
    await set(timers, { ...secret, timerId: "secret 1" });
    expect(expectOk(await other.deleteConversation("secret c"))).toBe(1);
    expect(expectOk(await other.deleteConversation("secret c"))).toBe(0);
  },
  "erases all timers of a user, and no other user's": async ({ timers, other, contents }) => {
    for (let at = 0; at < 4; at++) {
      const conversationId = `secret ${at % 2}`;
      await set(timers, {
        userId: "secret user",
        conversationId,
        timerId: `secret ${at}`,
        content: "a secret",
      });
    }
    await set(timers, { userId: "v", conversationId: "shared", timerId: "kept" });
    await set(timers, { userId: "secret user", conversationId: "shared", timerId: "secret 4", at: future() });
    expect(expectOk(await other.deleteUser("secret user"))).toBe(5);
    expect(await due(timers)).toEqual(["kept"]);
    expect(await found(timers, { userId: "secret user" })).toEqual([]);
    expect(await found(timers, { userId: "v", conversationId: "shared" })).toEqual(["kept"]);
    expect((await contents?.()) ?? "").not.toContain("secret");
    await set(other, { userId: "secret user" });
    expect(expectOk(await timers.deleteUser("secret user"))).toBe(1);
    expect(expectOk(await timers.deleteUser("secret user"))).toBe(0);
  },
  "leaves nothing of timers that are removed, moved or replaced": async ({ timers, other, contents }) => {
    const secret = { conversationId: "secret c", userId: "secret user", content: "a secret" };
    const timer = await set(timers, { ...secret, timerId: "secret 1" });
    const schedule = await set(timers, { ...secret, timerId: "secret 2", at: past(1) });
    await set(timers, { userId: "secret user", content: "a secret" });
    await set(other, { userId: "v", content: "kept" });
    expectOk(await other.remove(timer));
    expectOk(await timers.advance({ ...schedule, from: schedule.at, to: null }));
    expect((await contents?.()) ?? "").not.toContain("secret");
    expect(await due(timers)).toEqual(["t"]);
  },
  "erases all that was set before, and loses nothing that is set later": async ({ timers, other }) => {
    for (let round = 0; round < 20; round++) {
      const erase = () => (round % 2 === 0 ? other.deleteConversation("c") : other.deleteUser("u"));
      await set(timers, { timerId: "before" });
      await set(timers, { timerId: "before, later replaced", content: "old" });
      const during = Array.from({ length: 6 }, (_, at) => `during ${at}`);
      const [erased] = await Promise.all([
        erase(),
        ...during.map((timerId, at) => set(at % 2 === 0 ? timers : other, { timerId })),
        set(other, { timerId: "before, later replaced", content: "new" }),
      ]);
      const left = await find(timers);
      expect(left.some(({ timerId, content }) => timerId === "before" || content === "old")).toBe(false);
      // A timer may have been erased and then set again.
      expect([8, 9]).toContain(expectOk(erased) + left.length);
      expect((await due(other)).toSorted()).toEqual(left.map(({ timerId }) => timerId).toSorted());
      expect(expectOk(await erase())).toBe(left.length);
      expect([await find(other), await due(other)]).toEqual([[], []]);
    }
  },
};

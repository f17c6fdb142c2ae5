import { expect } from "vitest";
import { expectOk } from "../fixtures/expectations.ts";
import { append, begin, endedTurn, ending, eventsOf, LOST, type TurnLogRules, turnT } from "./scenario.ts";

export const erasureRules: TurnLogRules = {
  "erases a conversation, even with a running turn": async ({ log, other, contents }) => {
    await endedTurn(log, { turnId: "t1" }, { record: "secret record" });
    const writer = await begin(log, { request: "secret request" });
    await append(log, writer, { events: ["secret event"] });
    await begin(log, { conversationId: "kept" });
    expect(expectOk(await other.deleteConversation("c"))).toBe(2);
    expect(await append(log, writer, { first: 1, events: ["secret too"] })).toEqual(LOST);
    expect(await append(log, writer, { first: 1, end: ending() })).toEqual(LOST);
    expect(expectOk(await log.renew(writer))).toEqual(LOST);
    expectOk(await log.release(writer));
    expect(expectOk(await log.requestStop(turnT))).toBe(false);
    expect(expectOk(await log.read({ conversationId: "c" }))).toBeNull();
    expect(await eventsOf(log, "t1")).toBeUndefined();
    expect(expectOk(await log.turnsOf("c"))).toEqual([]);
    expect(
      expectOk(await log.find({ userId: "u", state: "running" })).map((turn) => turn.conversationId),
    ).toEqual(["kept"]);
    expect((await contents?.()) ?? "").not.toContain("secret");
    expect(expectOk(await other.deleteConversation("c"))).toBe(0);
  },
  "erases all turns of a user, and no other user's": async ({ log, other, contents }) => {
    await endedTurn(log, { conversationId: "c1" }, { state: "waiting", record: "secret record" });
    const writer = await begin(log, { conversationId: "c2", request: "secret request" });
    await endedTurn(log, { conversationId: "c3", userId: "v" });
    expect(expectOk(await other.deleteUser("u"))).toBe(2);
    expect(await append(log, writer, { events: ["secret"] })).toEqual(LOST);
    expect(await eventsOf(log, "t", "c1")).toBeUndefined();
    expect(await eventsOf(log, "t", "c2")).toBeUndefined();
    expect(await eventsOf(log, "t", "c3")).toEqual(["0"]);
    for (const state of ["running", "waiting"] as const)
      expect(expectOk(await log.find({ userId: "u", state }))).toEqual([]);
    expectOk(await log.release(writer));
    expect(expectOk(await log.abandoned(10))).toEqual([]);
    expect((await contents?.()) ?? "").not.toContain("secret");
    expect(expectOk(await other.deleteUser("u"))).toBe(0);
  },
  "leaves nothing of appends during the erasure": async ({ log, other }) => {
    for (let round = 0; round < 10; round++) {
      const writer = await begin(log);
      await Promise.all([
        append(log, writer, { events: ["a"] }),
        round % 2 === 0 ? other.deleteConversation("c") : other.deleteUser("u"),
        append(other, writer, { events: ["a"], end: ending() }),
      ]);
      expect(expectOk(await log.read(turnT))).toBeNull();
      expect(expectOk(await other.turnsOf("c"))).toEqual([]);
    }
  },
  "lets an erased conversation begin again": async ({ log, other }) => {
    const old = await begin(log);
    await append(log, old, { events: ["old"] });
    expectOk(await log.deleteConversation("c"));
    const writer = await begin(other);
    expect(await append(log, old, { first: 1, events: ["lost"] })).toEqual(LOST);
    await append(other, writer, { events: ["new"] });
    expect(await eventsOf(log)).toEqual(["new"]);
  },
};

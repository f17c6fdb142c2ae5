import { expect, it } from "vitest";
import { ask, begin, createScriptedModel, createTestService, eventsOf, messagesOf } from "./turn-fixtures.ts";
import type { OpenWorld } from "./worlds.ts";

const ROUNDS = 20;

/** Tests requests with the same turn id on two services that share these stores. */
export function itStartsNamedTurnsOnce(openWorld: OpenWorld): void {
  it("begins once if concurrent requests reach several services", async () => {
    const world = await openWorld();
    const model = createScriptedModel(Array.from({ length: ROUNDS }, () => "Hello"));
    const [one, other] = [createTestService(world, model), createTestService(world, model)];
    for (let round = 0; round < ROUNDS; round++) {
      const conversationId = `c${round}`;
      const request = ask("Hi", { target: { newId: conversationId }, turnId: "t" });
      const turns = await Promise.all([one, other, one, other].map((service) => begin(service, request)));
      expect(turns.map(({ turnId }) => turnId)).toEqual(["t", "t", "t", "t"]);
      const ends = await Promise.all(turns.map(({ ended }) => ended));
      expect(ends.map(({ status }) => status)).toEqual(Array.from({ length: 4 }, () => "completed"));
      const told = await Promise.all(
        [one, other].map((service) => eventsOf(service, { conversationId, turnId: "t" })),
      );
      expect(told[0]).toEqual(told[1]);
      expect((await messagesOf(world, conversationId)).map(({ content }) => content)).toEqual([
        "Hi",
        "Hello",
      ]);
    }
  });

  it("isn't joined by another user or after its events have expired", async () => {
    const world = await openWorld();
    const service = createTestService(world, createScriptedModel(["Hello"]), { eventSeconds: 1 });
    const request = ask("Hi", { target: { newId: "c" }, turnId: "t" });
    await (await begin(service, request)).ended;
    expect(await service.start({ ...request, identity: { userId: "bob" } })).toMatchObject({
      ...{ started: false, refusal: { reason: "not-found" } },
    });
    expect(await service.start(request)).toMatchObject({ started: true });
    await expect
      .poll(() => service.start(request))
      .toMatchObject({ started: false, refusal: { reason: "changed", retryable: false } });
    expect(await messagesOf(world, "c")).toHaveLength(2);
  });
}

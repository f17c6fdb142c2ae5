import { expect } from "vitest";
import type { ParentConversation } from "../../../contract/provider.ts";
import { appendChild, expectAllAbsent, find, owned, parentOf, storeMember } from "../../fixtures/children.ts";
import { expectConflict, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { users } from "../../fixtures/messages.ts";
import { atOnce } from "../../fixtures/timing.ts";
import { defineSpec, type Scenario } from "../../kit/spec.ts";

type Provider = Scenario["provider"];
type Erase = (provider: Provider, parent: string) => Promise<unknown>;

const ROUNDS = 8;
const WRITERS = 13;
/** The number of the writer that erases the parent instead. */
const ERASER = 6;

/** Creates a child of `childOf` and a child of this child. Both calls may find that their parent was erased. */
async function createTwo(provider: Provider, childOf: ParentConversation, id: string): Promise<void> {
  const created = await appendChild(provider, id, childOf, users("1"), owned);
  if (!created.success) return void expectConflict(created, "incarnation");
  const inner = await appendChild(provider, `${id}/0`, await parentOf(provider, id), users("1"), owned);
  if (!inner.success) expectConflict(inner, "incarnation");
}

/**
 * Lets many writers create children and grandchildren while their parent is erased. Expects that none of them is left.
 */
async function expectNoChildLeft(scenario: Scenario, erase: Erase): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const parent = `p-${round}`;
    await storeMember(scenario.provider, parent);
    for (const id of ["a", "b"]) await storeMember(scenario.provider, `${parent}/${id}`, parent);
    const childOf = await parentOf(scenario.provider, parent);
    await atOnce(scenario, WRITERS, (provider, writer) =>
      writer === ERASER ? erase(provider, parent) : createTwo(provider, childOf, `${parent}/${writer}`),
    );
    const children = ["a", "b", ...Array(WRITERS).keys()].map((writer) => `${parent}/${writer}`);
    await expectAllAbsent(scenario.provider, [parent, ...children, ...children.map((child) => `${child}/0`)]);
  }
  expect(expectOk(await scenario.provider.clearUserConversations("u"))).toBe(0);
}

export const childRaces = defineSpec(
  {
    level: "concurrency",
    subject: "children and erasures at once",
    why: "A chat is deleted while an inner agent works, and what this agent said stays in the store for ever.",
    hint: "write(): check the parent in the step that creates; delete(): no child may be added between the list and the deletion.",
  },
  {
    "leave no child and no grandchild of a deleted parent": (scenario) =>
      expectNoChildLeft(scenario, async (provider, parent) =>
        expectOk(await provider.deleteConversation(parent)),
      ),

    "leave no child and no grandchild of a cleared user": (scenario) =>
      expectNoChildLeft(scenario, async (provider) => expectOk(await provider.clearUserConversations("u"))),

    "leave no child of an earlier conversation under the parent's id": async (scenario) => {
      for (let round = 0; round < ROUNDS; round++) {
        const parent = `p-${round}`;
        await storeMember(scenario.provider, parent);
        const childOf = await parentOf(scenario.provider, parent);
        await atOnce(scenario, WRITERS, async (provider, writer) => {
          if (writer !== ERASER) {
            const created = await appendChild(provider, `${parent}/${writer}`, childOf, users("1"), owned);
            if (!created.success) expectConflict(created, "incarnation");
            return;
          }
          expectOk(await provider.deleteConversation(parent));
          await storeMember(provider, parent);
        });
        expect(await find(scenario.provider, { childrenOf: parent })).toEqual([]);
        const children = [...Array(WRITERS).keys()].map((writer) => `${parent}/${writer}`);
        await expectAllAbsent(scenario.provider, children);
        expect((await readConversation(scenario.provider, parent)).messages).toEqual(users(`of ${parent}`));
      }
    },

    "create one child of 12 first writes to the same id": async (scenario) => {
      await storeMember(scenario.provider, "p");
      const childOf = await parentOf(scenario.provider, "p");
      const results = await atOnce(scenario, 12, (provider, writer) =>
        appendChild(provider, "c", childOf, users(`${writer}`), owned, { expectedVersion: 0 }),
      );
      const winner = results.findIndex(({ success }) => success);
      for (const [writer, result] of results.entries()) {
        if (writer !== winner) expectConflict(result, "version");
      }
      expect(await readConversation(scenario.provider, "c")).toMatchObject({
        messages: users(`${winner}`),
        metadata: { childOf: "p" },
      });
    },
  },
);

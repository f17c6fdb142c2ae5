import { expect } from "vitest";
import type { MemoryConflictReason } from "../../../contract/errors.ts";
import type { ParentConversation } from "../../../contract/provider.ts";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import { appendChild, find, owned, parentOf, storeMember } from "../../fixtures/children.ts";
import {
  expectAbsent,
  expectConflict,
  expectError,
  expectInvalid,
  expectOk,
  read,
  readContents,
  readConversation,
} from "../../fixtures/expectations.ts";
import { refusedIds } from "../../fixtures/hostile-ids.ts";
import { append, hostile, users, writeMethods, writes } from "../../fixtures/messages.ts";
import { defineSpec, inputLimits } from "../../kit/spec.ts";

/** Expects that no write creates the conversation `"c"` as a child of `childOf`. */
async function expectNotCreated(
  provider: VersionedMemoryProvider,
  childOf: ParentConversation,
  reason: MemoryConflictReason,
  metadata: object = owned,
): Promise<void> {
  for (const method of writeMethods) {
    expectConflict(await writes[method](provider, "c", users("1"), metadata, { childOf }), reason);
  }
  await expectAbsent(provider, "c");
  expect(await find(provider, { childrenOf: childOf.conversationId })).toEqual([]);
}

export const childCreation = defineSpec(
  {
    level: "contract",
    subject: "options.childOf",
    why: "What an inner agent says shows up as a chat of its own, or belongs to a conversation that no longer exists.",
    hint: "write(): if it creates, check the parent's incarnation and owner in the same step, after the existence.",
  },
  {
    "makes the new conversation a child, with both write methods": async ({ provider }) => {
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      for (const method of writeMethods) {
        expectOk(await writes[method](provider, method, users("1"), owned, { childOf }));
        const child = await readConversation(provider, method);
        expect(child).toMatchObject({ userId: "u", messages: users("1"), metadata: { childOf: "p" } });
        expect((await read(provider, {}, method)).conversation).toEqual(child);
        expect(expectOk(await provider.findConversations({ conversationId: method }))).toEqual([child]);
      }
      expect(new Set(await find(provider, { childrenOf: "p" }))).toEqual(new Set(writeMethods));
      expect((await readConversation(provider, "p")).metadata).not.toHaveProperty("childOf");
    },

    "lets a child be written and read like any conversation": async ({ provider }) => {
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      const first = { childOf, idempotencyKey: "k", messageIds: ["m1", null, "m3"] };
      for (let attempt = 0; attempt < 2; attempt++) {
        expectOk(await append(provider, "c", users("1", "2", "3"), owned, first));
      }
      expectOk(await provider.appendMessages("c", users("4"), { topic: "x" }, { dropLast: 1 }));
      expectOk(await provider.appendMessages("c", users("5"), {}, { maxMessages: 3, expectedVersion: 2 }));
      expect(await readContents(provider, "c")).toEqual(["2", "4", "5"]);
      expect(expectOk(await provider.getRecentMessages("c", 2))).toEqual(users("4", "5"));
      const { metadata } = await readConversation(provider, "c");
      expect(metadata).toMatchObject({ childOf: "p", topic: "x", version: 3, nextPosition: 4 });
      expect(await readContents(provider, "p")).toEqual(["of p"]);
    },

    "stays through replacements and all other writes": async ({ provider }) => {
      await storeMember(provider, "p");
      await storeMember(provider, "other");
      await storeMember(provider, "c", "p");
      const childOf = await parentOf(provider, "other");
      const changes = [
        () => provider.storeMessages("c", users("1"), { topic: "x" }),
        () => provider.storeMessages("c", users("2"), {}, { childOf }),
        () => appendChild(provider, "c", childOf, users("3")),
        () => provider.appendMessages("c", [], { childOf: "other" }),
        () => provider.storeMessages("c", []),
      ];
      for (const change of changes) {
        expectOk(await change());
        expect((await readConversation(provider, "c")).metadata.childOf).toBe("p");
      }
      expect(await find(provider, { childrenOf: "p" })).toEqual(["c"]);
      expect(await find(provider, { childrenOf: "other" })).toEqual([]);
    },

    "is ignored by a write to an existing conversation": async ({ provider }) => {
      await storeMember(provider, "p");
      await storeMember(provider, "c");
      const current = await parentOf(provider, "p");
      const missing = { conversationId: "missing", incarnation: "none" };
      for (const childOf of [current, missing, { ...current, incarnation: "of another" }]) {
        expectOk(await appendChild(provider, "c", childOf, users("2")));
        expectOk(await provider.storeMessages("c", users("3"), {}, { childOf }));
        expectOk(await provider.appendMessages("c", users("4"), {}, { childOf }));
      }
      expect((await readConversation(provider, "c")).metadata).not.toHaveProperty("childOf");
      expect(new Set(await find(provider, {}))).toEqual(new Set(["p", "c"]));
      expect(await find(provider, { childrenOf: "p" })).toEqual([]);
    },

    "is refused under a parent that doesn't exist, was erased, or was created again": async ({
      provider,
    }) => {
      const never = { conversationId: "p", incarnation: (await parentOf(provider, "p")).incarnation };
      await expectNotCreated(provider, never, "incarnation");
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      await storeMember(provider, "other");
      const { incarnation } = await parentOf(provider, "other");
      await expectNotCreated(provider, { conversationId: "p", incarnation }, "incarnation");
      await expectNotCreated(provider, { conversationId: "c", incarnation }, "incarnation");
      expectOk(await provider.deleteConversation("p"));
      await expectNotCreated(provider, childOf, "incarnation");
      await storeMember(provider, "p");
      await expectNotCreated(provider, childOf, "incarnation");
      expectOk(await provider.clearUserConversations("u"));
      await expectNotCreated(provider, childOf, "incarnation");
    },

    "is refused for another owner than the parent's": async ({ provider }) => {
      await storeMember(provider, "p");
      const childOf = await parentOf(provider, "p");
      await expectNotCreated(provider, childOf, "owner", { userId: "v" });
      await expectNotCreated(provider, childOf, "owner", {});
      await storeMember(provider, "unowned", undefined, {});
      await expectNotCreated(provider, await parentOf(provider, "unowned"), "owner");
      await storeMember(provider, "c", "unowned", {});
      expect(await find(provider, { childrenOf: "unowned" })).toEqual(["c"]);
    },

    "is checked after the existence and before the length": async ({ provider }) => {
      const childOf = { conversationId: "p", incarnation: "of another" };
      expectError(await provider.appendMessages("c", users("1"), owned, { childOf }), "MemoryNotFoundError");
      const late = { childOf, expectedVersion: 1, createIfMissing: true } as const;
      expectConflict(await provider.appendMessages("c", users("1"), owned, late), "version");
      expectConflict(
        await appendChild(provider, "c", childOf, users("1"), owned, { dropLast: 1 }),
        "incarnation",
      );
      await expectAbsent(provider, "c");
    },

    "can be given to an import": async ({ provider }) => {
      await storeMember(provider, "p");
      await storeMember(provider, "c", "p");
      const record = expectOk(await provider.exportConversation("c")) ?? expect.fail("expected a record");
      const old = await parentOf(provider, "p");
      expectOk(await provider.deleteConversation("p"));
      expectConflict(await provider.importConversation(record, { childOf: old }), "incarnation");
      await storeMember(provider, "p");
      expectOk(await provider.importConversation(record, { childOf: await parentOf(provider, "p") }));
      expect(await readConversation(provider, "c")).toMatchObject({
        messages: users("of c"),
        metadata: { childOf: "p", createdAt: record.createdAt },
      });
      expect(await find(provider, { childrenOf: "p" })).toEqual(["c"]);
      expect(await find(provider, {})).toEqual(["p"]);
    },
  },
);

export const childLimits = defineSpec(inputLimits("options.childOf, invalid"), {
  "is refused with its path": async ({ provider }) => {
    await storeMember(provider, "p");
    const parent = await parentOf(provider, "p");
    for (const id of refusedIds) {
      const cases = {
        "options.childOf.conversationId": { ...parent, conversationId: id },
        "options.childOf.incarnation": { ...parent, incarnation: id },
      };
      for (const [path, childOf] of Object.entries(cases)) {
        for (const method of writeMethods) {
          const options = { childOf: hostile(childOf) };
          await expectInvalid(() => writes[method](provider, "c", users("1"), owned, options), path);
        }
      }
      await expectInvalid(() => provider.findConversations({ childrenOf: hostile(id) }), "query.childrenOf");
    }
    for (const value of [null, "p", 5, {}, []]) {
      const options = { childOf: hostile(value) };
      await expectInvalid(
        () => append(provider, "c", users("1"), owned, options),
        "options.childOf.conversationId",
      );
    }
    await expectInvalid(
      () => provider.findConversations({ childrenOf: hostile(undefined) }),
      "query.childrenOf",
    );
    await expectAbsent(provider, "c");
  },
});

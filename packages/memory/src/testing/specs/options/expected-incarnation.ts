import { expect } from "vitest";
import type { WriteOptions } from "../../../contract/provider.ts";
import type { VersionedMemoryProvider } from "../../../contract/versioned-provider.ts";
import {
  expectAbsent,
  expectConflict,
  expectOk,
  incarnationOf,
  read,
  readConversation,
} from "../../fixtures/expectations.ts";
import { append, users, writeMethods, writes } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const owned = { userId: "u" };

/** Expects that both write methods refuse this expected incarnation, and that the refused writes change nothing. */
async function expectStale(provider: VersionedMemoryProvider, expectedIncarnation: string): Promise<void> {
  const before = expectOk(await provider.getConversation("c"));
  const version = before?.metadata?.version ?? 0;
  const others: readonly WriteOptions[] = [{}, { expectedVersion: version }, { idempotencyKey: "stale" }];
  for (const method of writeMethods) {
    for (const options of others) {
      const given = { ...options, expectedIncarnation };
      expectConflict(await writes[method](provider, "c", users("erased"), owned, given), "incarnation");
    }
  }
  const continued = await provider.appendMessages(
    "c",
    [],
    { ...owned, topic: "erased" },
    { expectedIncarnation },
  );
  expectConflict(continued, "incarnation");
  expect(expectOk(await provider.getConversation("c"))).toEqual(before);
}

/** Functions that erase the conversation `"c"` of user `"u"`. They succeed even if the conversation doesn't exist. */
const erasures: Readonly<Record<string, (provider: VersionedMemoryProvider) => Promise<void>>> = {
  "it was deleted": async (provider) => void expectOk(await provider.deleteConversation("c")),
  "everything of its user was cleared": async (provider) =>
    void expectOk(await provider.clearUserConversations("u")),
};

const afterErasure = Object.fromEntries(
  Object.entries(erasures).flatMap(([erased, erase]) => [
    [
      `refuses a write from before ${erased}, and keeps later data`,
      async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
        expectOk(await append(provider, "c", users("1"), owned));
        const before = await incarnationOf(provider);
        await erase(provider);
        await expectStale(provider, before);
        await expectAbsent(provider, "c");
        // The new conversation has the expected version again. Only the incarnation shows that the old one was erased.
        expectOk(await append(provider, "c", users("new"), owned, { expectedVersion: 0 }));
        await expectStale(provider, before);
        expectOk(
          await provider.appendMessages(
            "c",
            users("2"),
            {},
            {
              expectedIncarnation: await incarnationOf(provider),
            },
          ),
        );
      },
    ],
    [
      `refuses the first write of a run from before ${erased}, even if nothing existed`,
      async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
        const before = await incarnationOf(provider, "c", "u");
        await erase(provider);
        await expectStale(provider, before);
        await expectAbsent(provider, "c");
        const first = { expectedIncarnation: await incarnationOf(provider, "c", "u") };
        expectOk(await append(provider, "c", users("1"), owned, first));
        expect((await readConversation(provider, "c")).messages).toEqual(users("1"));
      },
    ],
    [
      `refuses the first write of a run from before it was created, and ${erased}`,
      async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
        const before = [await incarnationOf(provider), await incarnationOf(provider, "c", "u")];
        expectOk(await append(provider, "c", users("other"), owned));
        for (const incarnation of before) await expectStale(provider, incarnation);
        await erase(provider);
        for (const incarnation of before) await expectStale(provider, incarnation);
        await expectAbsent(provider, "c");
      },
    ],
    [
      `refuses writes from before ${erased}, also after a new creation and a second erasure`,
      async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
        const before: string[] = [];
        for (const text of ["1", "2"]) {
          before.push(await incarnationOf(provider, "c", "u"));
          expectOk(await append(provider, "c", users(text), owned));
          before.push(await incarnationOf(provider));
          await erase(provider);
        }
        for (const incarnation of before) await expectStale(provider, incarnation);
        const first = { expectedIncarnation: await incarnationOf(provider, "c", "u") };
        expectOk(await append(provider, "c", users("3"), owned, first));
      },
    ],
    [
      `distinguishes two erasures: ${erased} twice`,
      async ({ provider }: { readonly provider: VersionedMemoryProvider }) => {
        await erase(provider);
        const between = await incarnationOf(provider, "c", "u");
        await erase(provider);
        await expectStale(provider, between);
      },
    ],
  ]),
);

export const incarnations = defineSpec(
  {
    level: "contract",
    subject: "incarnations",
    why: "A run during an erasure writes erased data into the next conversation.",
    hint: "write(): compare after the key and before the version; delete() and clearUser() leave a tombstone even for missing conversations, and no creation removes it.",
  },
  {
    "is the same in every read": async ({ provider }) => {
      expectOk(await provider.storeMessages("c", users("1"), { ...owned, traceId: "t" }));
      const { metadata } = await readConversation(provider, "c");
      const found = expectOk(await provider.findConversations({ userId: "u" }));
      const reading = await read(provider);
      expect(metadata.incarnation).toMatch(/./);
      expect(found.map((each) => each.metadata?.incarnation)).toEqual([metadata.incarnation]);
      expect(reading.conversation?.metadata?.incarnation).toBe(metadata.incarnation);
      expect(reading.incarnation).toBe(metadata.incarnation);
    },

    "stays through appends, replacements, metadata, trims and dropped messages": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), owned));
      const first = await incarnationOf(provider);
      const changes = [
        () => append(provider, "c", users("4"), { topic: "t" }),
        () => provider.appendMessages("c", [], {}, { maxMessages: 2 }),
        () => provider.appendMessages("c", [], {}, { dropLast: 1 }),
        () => provider.storeMessages("c", users("5"), { topic: "new" }),
        () => provider.storeMessages("c", []),
      ];
      for (const change of changes) {
        expectOk(await change());
        expect(await incarnationOf(provider)).toBe(first);
      }
      expect(await incarnationOf(provider, "c", "u"), "with any user").toBe(first);
    },

    "differs between conversations, and after a new creation under the same id": async ({ provider }) => {
      const seen: string[] = [];
      for (const id of ["a", "b", "c"]) {
        expectOk(await append(provider, id, users("1"), owned));
        seen.push(await incarnationOf(provider, id));
      }
      for (const erase of Object.values(erasures)) {
        await erase(provider);
        seen.push(await incarnationOf(provider));
        expectOk(await append(provider, "c", users("1"), owned));
        seen.push(await incarnationOf(provider));
      }
      expect(new Set(seen).size).toBe(seen.length);
    },

    "lets writes with the current incarnation pass": async ({ provider }) => {
      const none = await incarnationOf(provider, "c", "u");
      expectOk(await append(provider, "c", users("1"), owned, { expectedIncarnation: none }));
      const expectedIncarnation = await incarnationOf(provider);
      expectOk(await provider.appendMessages("c", users("2"), {}, { expectedIncarnation }));
      expectOk(await provider.storeMessages("c", users("3"), {}, { expectedIncarnation }));
      const replaced = { expectedIncarnation: await incarnationOf(provider, "stored") };
      expectOk(await provider.storeMessages("stored", users("1"), {}, replaced));
      expect((await readConversation(provider, "c")).messages).toEqual(users("3"));
    },

    ...afterErasure,

    "refuses a first write from before its user was cleared, even if the user has begun another conversation":
      async ({ provider }) => {
        const before = await incarnationOf(provider, "c", "u");
        expectOk(await provider.clearUserConversations("u"));
        expectOk(await append(provider, "other", users("new"), owned));
        await expectStale(provider, before);
        await expectAbsent(provider, "c");
      },

    "ignores erasures of other conversations": async ({ provider }) => {
      const none = await incarnationOf(provider, "new", "u");
      expectOk(await append(provider, "c", users("1"), owned));
      const present = await incarnationOf(provider);
      expectOk(await append(provider, "other", users("1"), { userId: "v" }));
      for (const id of ["other", "C", "c:", "u"]) expectOk(await provider.deleteConversation(id));
      for (const userId of ["v", "U", "u:", "new", "c"])
        expectOk(await provider.clearUserConversations(userId));
      expectOk(await provider.appendMessages("c", users("2"), {}, { expectedIncarnation: present }));
      expectOk(await append(provider, "new", users("1"), owned, { expectedIncarnation: none }));
    },

    "lets a retry of a write pass with any expectation": async ({ provider }) => {
      const first = { expectedIncarnation: await incarnationOf(provider), idempotencyKey: "k" };
      for (let attempt = 0; attempt < 2; attempt++)
        expectOk(await append(provider, "c", users("1"), owned, first));
      expect((await readConversation(provider, "c")).messages).toEqual(users("1"));
    },

    "is checked before the version": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), owned));
      const both = { expectedIncarnation: "of another", expectedVersion: 7, expectedMetadataVersion: 7 };
      for (const method of writeMethods) {
        expectConflict(await writes[method](provider, "c", users("2"), {}, both), "incarnation");
        expectConflict(await writes[method](provider, "none", users("2"), {}, both), "incarnation");
      }
      await expectAbsent(provider, "none");
    },
  },
);

import { expect } from "vitest";
import type { MemoryProvider } from "../../../contract/provider.ts";
import { expectAbsent, expectConflict, expectOk, readConversation } from "../../fixtures/expectations.ts";
import { append, users, writeMethods } from "../../fixtures/messages.ts";
import { defineSpec } from "../../kit/spec.ts";

const versionOf = async (provider: MemoryProvider): Promise<number | undefined> =>
  (await readConversation(provider, "c")).metadata.metadataVersion;

export const metadataVersions = defineSpec(
  {
    level: "contract",
    subject: "options.expectedMetadataVersion",
    why: "Two processes change a title, a state or a counter at the same time, and one change is lost silently.",
    hint: "write(): add one with every write with non-empty metadata and with every replacement; compare after the version.",
  },
  {
    "counts the writes with metadata, and the replacements": async ({ provider }) => {
      const seen: unknown[] = [];
      const write = async (...given: Parameters<MemoryProvider["appendMessages"]>) => {
        expectOk(await provider.appendMessages(...given));
        seen.push(await versionOf(provider));
      };
      expectOk(await append(provider, "c", users("1")));
      seen.push(await versionOf(provider));
      await write("c", users("2"));
      await write("c", [], {});
      await write("c", [], { gone: undefined });
      await write("c", [], { userId: "u" });
      expect(seen, "the owner is none of them").toEqual([0, 0, 0, 0, 0]);
      await write("c", [], { topic: "t" });
      await write("c", users("3"), { topic: "t" });
      await write("c", [], { traceId: "t" });
      await write("c", [], {}, { dropLast: 1 });
      expect(seen.slice(5)).toEqual([1, 2, 3, 3]);
      expectOk(await provider.storeMessages("c", users("4")));
      expectOk(await provider.storeMessages("c", users("4"), { topic: "new" }));
      expect(await versionOf(provider)).toBe(5);
      expectOk(await provider.storeMessages("stored", []));
      expect((await readConversation(provider, "stored")).metadata.metadataVersion).toBe(1);
    },

    "lets one of two read-modify-writes pass": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { count: 1 }));
      const expectedMetadataVersion = (await versionOf(provider)) ?? -1;
      const write = (count: number) =>
        provider.appendMessages("c", [], { count }, { expectedMetadataVersion });
      expectOk(await write(2));
      expect(expectConflict(await write(3), "metadata-version").actualVersion).toBe(
        expectedMetadataVersion + 1,
      );
      expect((await readConversation(provider, "c")).metadata["count"]).toBe(2);
    },

    "refuses a write that is too late, and writes nothing": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { userId: "u", topic: "t" }));
      const before = await readConversation(provider, "c");
      for (const method of writeMethods) {
        for (const expectedMetadataVersion of [0, 2, Number.MAX_SAFE_INTEGER]) {
          const options = { expectedMetadataVersion, idempotencyKey: "k" };
          const refused = await provider[method]("c", users("x"), { topic: "x", traceId: "x" }, options);
          const error = expectConflict(refused, "metadata-version");
          expect(error).toMatchObject({ actualVersion: 1, operation: method });
        }
      }
      expect(await readConversation(provider, "c")).toEqual(before);
      expect(expectOk(await provider.findConversations({ traceId: "x" }))).toEqual([]);
    },

    "is 0 without metadata and for a missing conversation": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), {}, { expectedMetadataVersion: 0 }));
      expectOk(await provider.appendMessages("c", users("2"), { x: 1 }, { expectedMetadataVersion: 0 }));
      expectConflict(
        await append(provider, "new", [], {}, { expectedMetadataVersion: 1 }),
        "metadata-version",
      );
      await expectAbsent(provider, "new");
    },

    "causes no conflict with appends, and they cause none with it": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { topic: "t" }));
      const { version = -1, metadataVersion = -1 } = (await readConversation(provider, "c")).metadata;
      expectOk(await provider.appendMessages("c", [], { topic: "renamed" }));
      expectOk(await provider.appendMessages("c", [], { heartbeat: 1 }));
      expectOk(await provider.appendMessages("c", users("2"), {}, { expectedVersion: version }));
      const rename = { expectedMetadataVersion: metadataVersion + 2 };
      expectOk(await provider.appendMessages("c", [], { topic: "again" }, rename));
    },

    "is compared after the version": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1"), { topic: "t" }));
      const both = { expectedVersion: 7, expectedMetadataVersion: 7 };
      expect(expectConflict(await append(provider, "c", [], {}, both), "version").actualVersion).toBe(1);
    },
  },
);

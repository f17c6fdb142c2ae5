import { expect } from "vitest";
import {
  receiptOf,
  type VersionedMemoryProvider,
  type WriteResult,
} from "../../../contract/versioned-provider.ts";
import { expectOk, readConversation } from "../../fixtures/expectations.ts";
import { answering, append, calling, user, users } from "../../fixtures/messages.ts";
import { forEachConcurrently } from "../../fixtures/timing.ts";
import type { Tampering } from "../../kit/harness.ts";
import { defineSpec, type SpecDetails } from "../../kit/spec.ts";
import { below, randomNumbers } from "../random/random-operation.ts";

const details: Omit<SpecDetails, "subject"> = {
  level: "contract",
  why: "A client continues with an outdated history, or a change in the database remains undetected.",
  hint: "write() computes the digests in the step that writes; dropLast, maxMessages and a replacement continue from the remaining messages. See HistoryReader.",
  requires: ["digests"],
};

async function digestOf(provider: VersionedMemoryProvider, conversationId = "c"): Promise<string> {
  const { historyDigest } = (await readConversation(provider, conversationId)).metadata;
  return historyDigest ?? expect.fail("a conversation has no historyDigest");
}

const verify = async (provider: VersionedMemoryProvider, conversationId = "c") =>
  expectOk(await provider.verifyConversation(conversationId));

const intact = (messages: number) => ({ intact: true, messages, unchecked: 0 });

type Write = (provider: VersionedMemoryProvider) => Promise<WriteResult>;

const changes: Readonly<Record<string, Write>> = {
  "an append": (provider) => provider.appendMessages("c", users("5")),
  "the same again": (provider) => provider.appendMessages("c", users("5")),
  "a dropped end": (provider) => provider.appendMessages("c", [], {}, { dropLast: 2 }),
  "an end that is replaced": (provider) => provider.appendMessages("c", users("6", "7"), {}, { dropLast: 1 }),
  "an append that trims": (provider) => provider.appendMessages("c", users("8"), {}, { maxMessages: 2 }),
  "an end dropped after a trim": (provider) => provider.appendMessages("c", users("9"), {}, { dropLast: 2 }),
  "a replacement": (provider) => provider.storeMessages("c", users("1", "2")),
  "an append to it": (provider) => provider.appendMessages("c", users("3")),
  "all dropped": (provider) => provider.appendMessages("c", [], {}, { dropLast: 3 }),
  "an append to nothing": (provider) => provider.appendMessages("c", users("4", "5")),
  "a replacement by nothing": (provider) => provider.storeMessages("c", []),
  "an append to nothing once more": (provider) => provider.appendMessages("c", users("6")),
};

export const digests = defineSpec(
  { ...details, subject: "digests" },
  {
    "change with the messages, and are returned by the write": async ({ provider }) => {
      const created = await append(provider, "c", users("1", "2", "3", "4"));
      const receipt = receiptOf(created);
      expect(receipt).toMatchObject({ version: 1, nextPosition: 4, historyDigest: await digestOf(provider) });
      let before = await digestOf(provider);
      for (const [name, write] of Object.entries(changes)) {
        const written = await write(provider);
        expectOk(written);
        const { metadata, messages } = await readConversation(provider, "c");
        const { version, nextPosition, totalMessages, historyDigest } = metadata;
        expect(receiptOf(written), name).toEqual({ version, nextPosition, totalMessages, historyDigest });
        // If all messages are dropped, the digest is again the digest before the first message.
        if (name !== "a replacement by nothing") expect(historyDigest, name).not.toBe(before);
        expect(await verify(provider), name).toEqual(intact(messages.length));
        before = historyDigest ?? expect.fail("no digest");
      }
    },

    "stay with everything else": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u" }, { idempotencyKey: "k" }));
      const before = await digestOf(provider);
      expectOk(await provider.appendMessages("c", [], { topic: "t" }, { ttlSeconds: 1_000 }));
      expectOk(await provider.appendMessages("c", [], {}, { maxMessages: 1 }));
      expectOk(await append(provider, "c", users("1", "2", "3"), { userId: "u" }, { idempotencyKey: "k" }));
      expect(await digestOf(provider)).toBe(before);
      expect(await verify(provider)).toEqual(intact(1));
    },

    "differ between conversations and between incarnations": async ({ provider }) => {
      for (const id of ["c", "d"]) expectOk(await append(provider, id, users("1", "2")));
      const first = await digestOf(provider);
      expect(await digestOf(provider, "d")).not.toBe(first);
      expectOk(await provider.deleteConversation("c"));
      expectOk(await append(provider, "c", users("1", "2")));
      expect(await digestOf(provider)).not.toBe(first);
    },

    "count a message once if it is sent again under its own id": async ({ provider }) => {
      expectOk(await append(provider, "c", users("1", "2"), {}, { messageIds: ["a", null] }));
      const batch = users("1", "3");
      expectOk(await provider.appendMessages("c", batch, {}, { messageIds: ["a", "b"] }));
      expect(await verify(provider)).toEqual(intact(3));
      const before = await digestOf(provider);
      expectOk(await provider.appendMessages("c", batch, {}, { messageIds: ["a", "b"] }));
      expect(await digestOf(provider)).toBe(before);
    },

    "are correct after any writes": ({ provider }) =>
      forEachConcurrently([1, 2, 3, 4], async (seed) => {
        const numbers = randomNumbers(seed);
        const random = (limit: number) => below(numbers, limit);
        const id = `c${seed}`;
        expectOk(await append(provider, id, users("0")));
        for (let at = 0; at < 40; at++) {
          const { totalMessages } = (await readConversation(provider, id)).metadata;
          const call = calling(`call ${at}`);
          const batch = [user(`${at}`), call, answering(`call ${at}`)].slice(random(3), 1 + random(3));
          if (random(12) === 0) expectOk(await provider.storeMessages(id, batch));
          else {
            const options = {
              ...(random(3) === 0 ? { dropLast: random(totalMessages + 1) } : {}),
              ...(random(4) === 0 ? { maxMessages: 1 + random(6) } : {}),
            };
            expectOk(await provider.appendMessages(id, batch, {}, options));
          }
          const stored = (await readConversation(provider, id)).metadata.totalMessages;
          expect(await verify(provider, id), `seed ${seed}, write ${at}`).toEqual(intact(stored));
        }
      }),

    "are computed again by an import": async ({ provider, open }) => {
      expectOk(
        await append(provider, "c", users("1", "2", "3", "4"), {}, { messageIds: ["a", null, "b", null] }),
      );
      expectOk(await provider.appendMessages("c", users("5"), {}, { maxMessages: 3 }));
      const record = expectOk(await provider.exportConversation("c")) ?? expect.fail("no record");
      const { provider: target } = await open();
      expectOk(await target.importConversation(record));
      expect(await verify(target)).toEqual(intact(3));
      expectOk(await target.appendMessages("c", users("6"), {}, { dropLast: 1 }));
      expect(await verify(target)).toEqual(intact(3));
    },

    "are those of an empty history for a missing conversation": async ({ provider }) => {
      expect(await verify(provider)).toBeNull();
    },
  },
);

const KINDS = ["change", "remove", "double", "swap"] as const;

/** Changes of a conversation with six messages, each with the index of the first message that is then wrong. */
const tamperings: readonly (readonly [Tampering, number])[] = KINDS.flatMap((kind) =>
  [0, 2, 4, 5]
    .filter((index) => kind !== "swap" || index < 5)
    .map((index) => [{ kind, index }, kind === "double" ? index + 1 : index] as const),
);

const nameOf = ({ kind, index }: Tampering) => `${kind} ${index}`;

export const tampering = defineSpec(
  { ...details, subject: "changes by others", needs: ["tamper"] },
  {
    "is found, with its position": ({ provider, tamper }) =>
      forEachConcurrently(tamperings, async ([done, index]) => {
        const id = nameOf(done);
        expectOk(await append(provider, id, users("0", "1", "2", "3", "4", "5")));
        await tamper(id, done);
        expect(await verify(provider, id), id).toMatchObject({ intact: false, position: index });
      }),

    "is found if the oldest messages were trimmed": ({ provider, tamper }) =>
      forEachConcurrently(tamperings, async ([done, index]) => {
        const id = nameOf(done);
        expectOk(await append(provider, id, users("a", "b", "c", "0", "1", "2", "3")));
        expectOk(await provider.appendMessages(id, users("4", "5"), {}, { maxMessages: 6 }));
        await tamper(id, done);
        expect(await verify(provider, id), id).toMatchObject({ intact: false, position: 3 + index });
      }),

    "is found far back in a long conversation, every time": async ({ provider, tamper }) => {
      const texts = Array.from({ length: 2_500 }, (_, at) => `${at}`);
      expectOk(await append(provider, "c", users(...texts)));
      expect(await verify(provider)).toEqual(intact(2_500));
      await tamper("c", { kind: "change", index: 1_001 });
      expectOk(await provider.appendMessages("c", users("more")));
      expect(await verify(provider)).toEqual({ intact: false, position: 1_001, found: "changed" });
    },

    "is reported as missing at the end": async ({ provider, tamper }) => {
      expectOk(await append(provider, "c", users("0", "1", "2")));
      await tamper("c", { kind: "remove", index: 2 });
      expect(await verify(provider)).toEqual({ intact: false, position: 2, found: "missing" });
    },

    "is reported as unexpected after the end": async ({ provider, tamper }) => {
      expectOk(await append(provider, "c", users("0", "1", "2")));
      await tamper("c", { kind: "double", index: 2 });
      expect(await verify(provider)).toEqual({ intact: false, position: 3, found: "unexpected" });
    },
  },
);

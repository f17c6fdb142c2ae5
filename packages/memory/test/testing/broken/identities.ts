import { hash, randomUUID } from "node:crypto";
import type { ConversationWrite, StoredConversation, Tombstones } from "../../../src/contract/backend.ts";
import { brokenBackend, type Layer, readAll, trip, without, writing } from "./backend.ts";
import type { BrokenProvider } from "./broken.ts";

/** Changes the results of reads and searches. */
const showing =
  (change: (stored: StoredConversation) => StoredConversation): Layer =>
  (intact) => ({
    read: async (request) => {
      const read = await intact.read(request);
      return read.conversation === null ? read : { ...read, conversation: change(read.conversation) };
    },
    find: async (query) => (await intact.find(query)).map(change),
  });

/** Creates conversations again that it has forgotten. */
const remaking: Layer = (intact) => {
  const known = new Set<string>();
  return {
    write: (write) => {
      const create =
        write.create ?? (known.has(write.conversationId) ? { incarnation: randomUUID() } : undefined);
      known.add(write.conversationId);
      return intact.write(create === undefined ? write : { ...write, create });
    },
  };
};

/** Compares first, and writes in a second step. */
const comparingFirst: Layer = (intact) => ({
  write: async (write) => {
    const probe = without(
      { ...write, messages: [], metadata: {} },
      "create",
      "idempotency",
      "dropLast",
      "maxMessages",
    );
    const compared = await intact.write({ ...probe, mode: "append" });
    await trip();
    if (compared.status === "conflict") return compared;
    return intact.write(without(write, "expectedIncarnation", "expectedVersion", "expectedMetadataVersion"));
  },
});

/** Forgets a tombstone of this kind once a write has created a conversation. */
export const forgettingTombstones =
  (kind: keyof Tombstones): Layer =>
  (intact) => {
    const forgotten = new Set<string | null>();
    const tombstonesOf = async ({ conversationId, userId }: ConversationWrite): Promise<Tombstones> => {
      const tombstones = userId === undefined ? {} : { userId };
      const read = await intact.read({ conversationId, messages: { kind: "none" }, tombstones });
      return (read.conversation === null && read.tombstones) || { conversation: null, user: null };
    };
    return {
      write: async (write) => {
        const now = await tombstonesOf(write);
        const expected = write.expectedIncarnation;
        // The intact storage accepts a tombstone that the write has seen.
        const seen =
          expected !== undefined && "absent" in expected && forgotten.has(now[kind])
            ? { expectedIncarnation: { absent: { ...expected.absent, [kind]: now[kind] } } }
            : {};
        const outcome = await intact.write({ ...write, ...seen });
        if (outcome.status === "written" && write.create !== undefined) forgotten.add(now[kind]);
        return outcome;
      },
    };
  };

/** Providers with one plausible mistake each in distinguishing conversations and their changes. */
export const brokenIdentities: Readonly<Record<string, BrokenProvider>> = {
  "creates missing conversations by default": brokenBackend(
    "options.createIfMissing: is false by default: nothing is created for any other option",
    writing((write) => ({ ...write, create: write.create ?? { incarnation: randomUUID() } })),
  ),

  "creates again what it once knew": brokenBackend(
    "options.createIfMissing: creates nothing again that was deleted or cleared",
    remaking,
  ),

  "creates again what has expired": brokenBackend(
    "options.ttlSeconds, and what a write expects: lets an append find nothing",
    remaking,
  ),

  "ignores the incarnation": brokenBackend(
    "incarnations: refuses a write from before it was deleted, and keeps later data",
    writing((write) => without(write, "expectedIncarnation")),
  ),

  "counts incarnations itself": brokenBackend(
    "receipts: return the incarnation of the conversation that a write created",
    (intact) => {
      let count = 0;
      return {
        write: (write) => {
          if (write.create === undefined) return intact.write(write);
          count += 1;
          return intact.write({ ...write, create: { incarnation: hash("sha1", `${count}`) } });
        },
      };
    },
  ),

  "keeps one incarnation for an id for ever": brokenBackend(
    "incarnations: differs between conversations, and after a new creation under the same id",
    writing((write) =>
      write.create === undefined
        ? write
        : { ...write, create: { incarnation: hash("sha1", write.conversationId) } },
    ),
  ),

  "creates a new incarnation with every change of metadata": brokenBackend(
    "incarnations: stays through appends, replacements, metadata, trims and dropped messages",
    showing((stored) => ({ ...stored, incarnation: `${stored.incarnation}-${stored.metadataVersion}` })),
  ),

  "leaves no tombstone for a missing conversation": brokenBackend(
    "incarnations: refuses the first write of a run from before it was deleted, even if nothing existed",
    (intact) => ({
      delete: async (id) => ((await readAll(intact, id)) === null ? false : intact.delete(id)),
    }),
  ),

  "leaves no tombstone of a user without conversations": brokenBackend(
    "incarnations: refuses the first write of a run from before everything of its user was cleared, even if nothing existed",
    (intact) => ({
      clearUser: async (userId) => {
        const found = await intact.find({ userId, offset: 0, includeMessages: false });
        return found.length === 0 ? 0 : intact.clearUser(userId);
      },
    }),
  ),

  "removes the tombstone of a user with the next creation": brokenBackend(
    "incarnations: refuses a first write from before its user was cleared, even if the user has begun another conversation",
    forgettingTombstones("user"),
  ),

  "keeps one tombstone for all erasures": brokenBackend(
    "incarnations: distinguishes two erasures: it was deleted twice",
    (intact) => {
      const erased = new Set<string>();
      return {
        delete: async (id) => {
          const isFirst = !erased.has(id);
          erased.add(id);
          return isFirst || (await readAll(intact, id)) !== null ? intact.delete(id) : false;
        },
      };
    },
  ),

  "continues in a conversation that expired and was created again": brokenBackend(
    "options.ttlSeconds, and what a write expects: refuses writes that were decided before, even if the conversation was created again",
    writing((write) =>
      write.expectedIncarnation !== undefined && "present" in write.expectedIncarnation
        ? without(write, "expectedIncarnation")
        : write,
    ),
  ),

  "counts messages as the version": brokenBackend(
    "version: increases by one only with every change of messages",
    showing((stored) => ({ ...stored, version: stored.nextPosition })),
  ),

  "expects nothing of a replacement by nothing": brokenBackend(
    "version: lets one of two replacements by nothing pass",
    writing((write) =>
      write.mode === "replace" && write.messages.length === 0 ? without(write, "expectedVersion") : write,
    ),
  ),

  "expects nothing of an empty batch": brokenBackend(
    "version: lets one of two trims, and of two drops, pass",
    writing((write) =>
      write.mode === "append" && write.messages.length === 0 ? without(write, "expectedVersion") : write,
    ),
  ),

  "ignores the metadata version": brokenBackend(
    "options.expectedMetadataVersion: lets one of two read-modify-writes pass",
    writing((write) => without(write, "expectedMetadataVersion")),
  ),

  "counts every write as one of metadata": brokenBackend(
    "options.expectedMetadataVersion: counts the writes with metadata, and the replacements",
    showing((stored) => ({ ...stored, metadataVersion: stored.version })),
  ),

  "raises the version with metadata": brokenBackend(
    "options.expectedMetadataVersion: causes no conflict with appends, and they cause none with it",
    (intact) => ({
      ...showing((stored) => ({ ...stored, version: stored.version + stored.metadataVersion }))(intact),
      write: async (write) => {
        if (write.expectedVersion === undefined) return intact.write(write);
        const stored = await readAll(intact, write.conversationId);
        const expectedVersion = Math.max(0, write.expectedVersion - (stored?.metadataVersion ?? 0));
        return intact.write({ ...write, expectedVersion });
      },
    }),
  ),

  "compares the incarnation of a first write, then makes it": brokenBackend(
    "erasures and writes at once: leave nothing of a first write that saw the conversation before its deletion",
    comparingFirst,
  ),

  "compares the incarnation, then appends": brokenBackend(
    "erasures and writes at once: let one of 12 first writes that saw the same absence pass",
    comparingFirst,
  ),

  "compares the metadata version, then writes": brokenBackend(
    "one conversation, changed by many: lets one of 16 metadata changes with the same expectation pass",
    comparingFirst,
  ),

  "compares the version, then pops": brokenBackend(
    "one conversation, changed by many: gives each of ten items to one of fourteen that pop",
    comparingFirst,
  ),
};

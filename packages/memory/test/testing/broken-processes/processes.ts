import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConversationWrite,
  type MemoryBackend,
  messageHash,
  nextDigest,
  type ReadOutcome,
  type Tombstones,
  type WriteOutcome,
} from "../../../src/contract/backend.ts";
import type { WriteReceipt } from "../../../src/contract/versioned-provider.ts";
import { readAll, without } from "../broken/backend.ts";

export interface BrokenLayer {
  /** The rule that finds it, as `subject: title`. */
  readonly caughtBy: string;
  /** The layer that each process puts between all its providers and the storage. */
  readonly layer: (storage: MemoryBackend, store: string) => Partial<MemoryBackend>;
}

/** Compares like a storage. */
const isErasedSince = (seen: Tombstones, now: Tombstones): boolean =>
  (now.conversation !== null && now.conversation !== seen.conversation) ||
  (now.user !== null && now.user !== seen.user);

/** The delay between two steps that should be one. */
const BETWEEN_MS = 3;

/** Runs one call after the other in this process. */
function createLock() {
  let last: Promise<unknown> = Promise.resolve();
  return <T>(task: () => Promise<T>): Promise<T> => {
    const done = last.then(task);
    last = done.catch(() => {});
    return done;
  };
}

/** Runs all methods under one lock of this process, so several steps are one step within it. */
function locked(storage: MemoryBackend, layer: Partial<MemoryBackend>): Partial<MemoryBackend> {
  const lock = createLock();
  const all = { ...storage, ...layer };
  return {
    write: (write) => lock(() => all.write(write)),
    read: (request) => lock(() => all.read(request)),
    find: (query) => lock(() => all.find(query)),
    delete: (id) => lock(() => all.delete(id)),
    clearUser: (userId) => lock(() => all.clearUser(userId)),
    stats: (userId) => lock(() => all.stats(userId)),
  };
}

/** A process that compares and writes in two steps under its own lock. */
const comparing =
  (
    field: "expectedVersion" | "expectedMetadataVersion" | "expectedIncarnation",
    isStale: (write: ConversationWrite, storage: MemoryBackend) => Promise<boolean>,
  ): BrokenLayer["layer"] =>
  (storage) =>
    locked(storage, {
      write: async (write) => {
        // The storage refuses it, with its own reason.
        if (write[field] === undefined || (await isStale(write, storage))) return storage.write(write);
        await sleep(BETWEEN_MS);
        return storage.write(without(write, field));
      },
    });

/** The cache is correct while no other process writes: each change of this process clears it. */
function cachingLayer<T>(
  use: (cache: Map<string, T>, storage: MemoryBackend) => Partial<MemoryBackend>,
): BrokenLayer["layer"] {
  return (storage) => {
    const cache = new Map<string, T>();
    const layer = use(cache, storage);
    return locked(storage, {
      delete: (id) => {
        cache.delete(id);
        return storage.delete(id);
      },
      clearUser: (userId) => {
        cache.clear();
        return storage.clearUser(userId);
      },
      ...layer,
    });
  };
}

/** Puts the process's name in front of keys and message ids. */
function perProcess(): BrokenLayer["layer"] {
  const prefix = `${process.pid}:`;
  return (storage) => ({
    write: ({ idempotency, ...write }) =>
      storage.write(
        idempotency === undefined
          ? write
          : { ...write, idempotency: { ...idempotency, key: prefix + idempotency.key } },
      ),
    read: ({ receiptFor, ...request }) =>
      storage.read(receiptFor === undefined ? request : { ...request, receiptFor: prefix + receiptFor }),
  });
}

function ownIdsPerProcess(): BrokenLayer["layer"] {
  const prefix = `${process.pid}:`;
  const shown = (read: ReadOutcome): ReadOutcome => {
    if (read.conversation === null || read.forExport === undefined) return read;
    const messageIds = read.forExport.messageIds.map((id) => (id === null ? null : id.replace(/^\d+:/, "")));
    return { ...read, forExport: { ...read.forExport, messageIds } };
  };
  return (storage) => ({
    write: ({ messages, ...write }) =>
      storage.write({
        ...write,
        messages: messages.map((message) =>
          message.own === undefined
            ? message
            : { ...message, own: { ...message.own, id: prefix + message.own.id } },
        ),
      }),
    read: async ({ messages, ...request }) =>
      shown(
        await storage.read({
          ...request,
          messages:
            messages.kind === "message" ? { ...messages, messageId: prefix + messages.messageId } : messages,
        }),
      ),
  });
}

/** Whether a write can't be refused, skipped or answered with more than "written". */
const isPlain = (write: ConversationWrite): boolean =>
  write.mode === "append" &&
  write.create !== undefined &&
  write.messages.every(({ own }) => own === undefined) &&
  [write.userId, write.idempotency, write.dropLast, write.maxMessages, write.expectedVersion].every(
    (each) => each === undefined,
  ) &&
  [write.expectedIncarnation, write.expectedMetadataVersion, write.ttlSeconds].every(
    (each) => each === undefined,
  );

/** Predicts the receipt of a plain append from the stored conversation. */
async function foretell(storage: MemoryBackend, write: ConversationWrite): Promise<WriteReceipt> {
  const { conversationId, messages, create } = write;
  const { conversation } = await storage.read({ conversationId, messages: { kind: "none" } });
  const first = conversation?.incarnation ?? create?.incarnation ?? "";
  const historyDigest = messages.reduce(
    (previous, { body }) => nextDigest("sha256", previous, messageHash(body)),
    conversation?.historyDigest ?? first,
  );
  const isChange = conversation === null || messages.length > 0;
  return {
    version: (conversation?.version ?? 0) + (isChange ? 1 : 0),
    nextPosition: (conversation?.nextPosition ?? 0) + messages.length,
    totalMessages: (conversation?.totalMessages ?? 0) + messages.length,
    historyDigest,
  };
}

const DEFERRED_MS = 20;

/** Acknowledges plain appends before they are written; all other calls of this process wait for them. */
const deferring: BrokenLayer["layer"] = (storage) => {
  let last: Promise<unknown> = Promise.resolve();
  const after = <T>(call: () => Promise<T>): Promise<T> => {
    const done = last.then(call);
    last = done.catch(() => {});
    return done;
  };
  return {
    write: async (write): Promise<WriteOutcome> => {
      if (!isPlain(write)) return after(() => storage.write(write));
      const later = sleep(DEFERRED_MS);
      const receipt = after(() => foretell(storage, write));
      void after(async () => {
        await later;
        return storage.write(write);
      });
      return { status: "written", receipt: await receipt };
    },
    read: (request) => after(() => storage.read(request)),
    find: (query) => after(() => storage.find(query)),
    delete: (id) => after(() => storage.delete(id)),
    clearUser: (userId) => after(() => storage.clearUser(userId)),
    stats: (userId) => after(() => storage.stats(userId)),
  };
};

/** Only sees the tombstones of this process. */
const ownTombstones: BrokenLayer["layer"] = (storage) => {
  const left = new Map<string, string>();
  const of = (conversationId: string, userId: string | undefined): Tombstones => ({
    conversation: left.get(`conversation ${conversationId}`) ?? null,
    user: userId === undefined ? null : (left.get(`user ${userId}`) ?? null),
  });
  return locked(storage, {
    write: async (write) => {
      const { expectedIncarnation, ...rest } = write;
      if (expectedIncarnation === undefined || "present" in expectedIncarnation) return storage.write(write);
      const isThere = (await readAll(storage, write.conversationId)) !== null;
      const isErased = isErasedSince(expectedIncarnation.absent, of(write.conversationId, write.userId));
      // An owner or a key that refuses or answers the write comes first.
      const stale = { present: "none of them" };
      return storage.write(!isErased && !isThere ? rest : { ...rest, expectedIncarnation: stale });
    },
    read: async (request) => {
      const read = await storage.read(request);
      if (read.conversation !== null || request.tombstones === undefined) return read;
      return { ...read, tombstones: of(request.conversationId, request.tombstones.userId) };
    },
    delete: (id) => {
      left.set(`conversation ${id}`, randomUUID());
      return storage.delete(id);
    },
    clearUser: async (userId) => {
      left.set(`user ${userId}`, randomUUID());
      const found = await storage.find({ userId, offset: 0, includeMessages: false });
      for (const { conversationId } of found) left.set(`conversation ${conversationId}`, randomUUID());
      return storage.clearUser(userId);
    },
  });
};

const IN_TWO = "in two processes";

/** Layers that are correct in one process, and wrong with a second one. */
export const brokenProcesses: Readonly<Record<string, BrokenLayer>> = {
  "locks only its process to compare versions": {
    caughtBy: `one conversation, changed by many, ${IN_TWO}: gives each of ten items to one of fourteen that pop`,
    layer: comparing("expectedVersion", async ({ conversationId, expectedVersion }, storage) => {
      const stored = await readAll(storage, conversationId);
      return (stored?.version ?? 0) !== expectedVersion;
    }),
  },

  "locks only its process to compare metadata versions": {
    caughtBy: `one conversation, changed by many, ${IN_TWO}: lets one of 16 metadata changes with the same expectation pass`,
    layer: comparing(
      "expectedMetadataVersion",
      async ({ conversationId, expectedMetadataVersion }, storage) => {
        const stored = await readAll(storage, conversationId);
        return (stored?.metadataVersion ?? 0) !== expectedMetadataVersion;
      },
    ),
  },

  "locks only its process to compare incarnations": {
    caughtBy: `erasures and writes at once, ${IN_TWO}: let one of 12 first writes that saw the same absence pass`,
    layer: comparing(
      "expectedIncarnation",
      async ({ expectedIncarnation, conversationId, userId }, storage) => {
        if (expectedIncarnation === undefined) return false;
        const tombstones = userId === undefined ? {} : { userId };
        const read = await storage.read({ conversationId, messages: { kind: "none" }, tombstones });
        if ("present" in expectedIncarnation)
          return read.conversation?.incarnation !== expectedIncarnation.present;
        if (read.conversation !== null || read.tombstones === undefined) return true;
        return isErasedSince(expectedIncarnation.absent, read.tombstones);
      },
    ),
  },

  "keeps idempotency keys in its process": {
    caughtBy: `several connections, ${IN_TWO}: share the idempotency keys`,
    layer: perProcess(),
  },

  "keeps ids of messages in its process": {
    caughtBy: `several connections, ${IN_TWO}: know the ids of each other's messages`,
    layer: ownIdsPerProcess(),
  },

  "keeps tombstones in its process": {
    caughtBy: `several connections, ${IN_TWO}: know which users another one cleared`,
    layer: ownTombstones,
  },

  "acknowledges an append, and writes it a little later": {
    caughtBy: `several connections, ${IN_TWO}: count positions together`,
    layer: deferring,
  },

  "caches its reads until its own next write": {
    caughtBy: `several connections, ${IN_TWO}: see another one's writes immediately`,
    layer: cachingLayer<Map<string, ReadOutcome>>((cache, storage) => ({
      write: (write) => {
        cache.delete(write.conversationId);
        return storage.write(write);
      },
      read: async (request) => {
        const { conversationId } = request;
        const reads = cache.get(conversationId) ?? new Map<string, ReadOutcome>();
        cache.set(conversationId, reads);
        const known = reads.get(JSON.stringify(request));
        if (known !== undefined) return request.asksTime === true ? { ...known, readAt: new Date() } : known;
        const read = await storage.read(request);
        // Missing conversations are read again.
        if (read.conversation !== null) reads.set(JSON.stringify(request), read);
        return read;
      },
    })),
  },

  "knows versions from its own writes": {
    caughtBy: `several connections, ${IN_TWO}: count versions together, of messages and of metadata`,
    layer: cachingLayer<number>((versions, storage) => ({
      write: async (write) => {
        const { conversationId, expectedVersion } = write;
        const known = versions.get(conversationId);
        const isKnown = known !== undefined && known === expectedVersion;
        const written = await storage.write(isKnown ? without(write, "expectedVersion") : write);
        const stored = await readAll(storage, conversationId);
        if (stored === null) versions.delete(conversationId);
        else versions.set(conversationId, stored.version);
        return written;
      },
    })),
  },

  "knows owners from its own writes": {
    caughtBy: `several connections, ${IN_TWO}: see another one's erasures and what it creates again`,
    layer: cachingLayer<string>((owners, storage) => ({
      write: async (write) => {
        const { conversationId, userId } = write;
        const isKnown =
          userId !== undefined && owners.get(conversationId) === userId && write.create === undefined;
        const written = await storage.write(isKnown ? without(write, "userId") : write);
        const stored = await readAll(storage, conversationId);
        if (stored?.userId !== undefined) owners.set(conversationId, stored.userId);
        return written;
      },
    })),
  },

  "counts positions in its process": {
    caughtBy: `several connections, ${IN_TWO}: count positions together`,
    layer: cachingLayer<number>((positions, storage) => ({
      write: async (write) => {
        const written = await storage.write(write);
        const stored = await readAll(storage, write.conversationId);
        if (stored === null) positions.delete(write.conversationId);
        else positions.set(write.conversationId, stored.nextPosition);
        return written;
      },
      read: async (request) => {
        const read = await storage.read(request);
        const known = positions.get(request.conversationId);
        if (read.conversation === null || known === undefined) return read;
        const shift = known - read.conversation.nextPosition;
        const conversation = { ...read.conversation, nextPosition: known };
        return { ...read, conversation, firstPosition: read.firstPosition + shift };
      },
    })),
  },
};

// The template's `src/backend.ts`, written for a `Map`, with nothing but the guide and the types of `@jaf/memory`.
import { randomUUID } from "node:crypto";
import {
  type ConversationQuery,
  type ConversationWrite,
  createMemoryStorageError,
  type EncodedMessage,
  IDEMPOTENCY_WINDOW,
  isErasedSince,
  type JsonObject,
  type MemoryBackend,
  type ReadRequest,
  type StoredConversation,
  selectedBounds,
  TOMBSTONE_SECONDS,
  type Tombstones,
  tombstoneKey,
  type WriteOutcome,
} from "@jaf/memory/adapter";
import type { MyStoreOptions } from "../../template/src/config.ts";

interface Row {
  readonly conversationId: string;
  readonly incarnation: string;
  readonly userId: string | undefined;
  readonly parent: ConversationWrite["childOf"];
  readonly messages: readonly EncodedMessage[];
  readonly metadata: JsonObject;
  readonly traceIds: readonly string[];
  readonly keys: readonly { key: string; bodyHash: string; write: number; nextPosition: number }[];
  readonly createdAt: number;
  readonly lastActivity: number;
  readonly ttlSeconds: number | undefined;
  readonly version: number;
  readonly metadataVersion: number;
  readonly nextPosition: number;
  readonly writes: number;
}

/** The contents of a storage. */
export interface Store {
  readonly rows: Map<string, Row>;
  readonly tombstones: Map<string, { readonly id: string; readonly until: number }>;
}

const keptOf = (row: Row | undefined, { mode, dropLast = 0 }: ConversationWrite) =>
  row === undefined || mode === "replace" ? [] : row.messages.slice(0, row.messages.length - dropLast);

function refusal(
  row: Row | undefined,
  write: ConversationWrite,
  { tombstones, parent }: { readonly tombstones: Tombstones; readonly parent: Row | undefined },
): WriteOutcome | undefined {
  if (row?.userId !== undefined && write.userId !== undefined && row.userId !== write.userId)
    return { status: "conflict", reason: "owner" };
  const known = write.idempotency && row?.keys.find(({ key }) => key === write.idempotency?.key);
  if (known !== undefined)
    return known.bodyHash === write.idempotency?.bodyHash
      ? { status: "replayed" }
      : { status: "conflict", reason: "idempotency-key" };
  const expected = write.expectedIncarnation;
  if (expected !== undefined) {
    const holds =
      "present" in expected
        ? row?.incarnation === expected.present
        : row === undefined && !isErasedSince(expected.absent, tombstones);
    if (!holds) return { status: "conflict", reason: "incarnation" };
  }
  const { version = 0, metadataVersion = 0 } = row ?? {};
  if (write.expectedVersion !== undefined && write.expectedVersion !== version)
    return { status: "conflict", reason: "version", actualVersion: version };
  if (write.expectedMetadataVersion !== undefined && write.expectedMetadataVersion !== metadataVersion)
    return { status: "conflict", reason: "metadata-version", actualVersion: metadataVersion };
  if (row === undefined && write.create === undefined) return { status: "missing" };
  if (row === undefined && write.childOf !== undefined) {
    if (parent?.incarnation !== write.childOf.incarnation)
      return { status: "conflict", reason: "incarnation" };
    if (parent.userId !== write.userId) return { status: "conflict", reason: "owner" };
  }
  if ((write.dropLast ?? 0) > (row?.messages.length ?? 0)) return { status: "conflict", reason: "length" };
  const hashes = new Map<string, string>();
  for (const { own } of [...keptOf(row, write), ...write.messages]) {
    if (own === undefined) continue;
    if ((hashes.get(own.id) ?? own.hash) !== own.hash) return { status: "conflict", reason: "message-id" };
    hashes.set(own.id, own.hash);
  }
  return undefined;
}

function trim(messages: readonly EncodedMessage[], maxMessages = messages.length) {
  const cut = messages.length - maxMessages;
  if (cut <= 0) return messages;
  const start = messages.findIndex(({ isToolResult }, index) => index >= cut && !isToolResult);
  if (start >= 0) return messages.slice(start);
  const last = messages.findLastIndex(({ isToolResult }) => !isToolResult);
  return messages.slice(last >= 0 ? last : cut);
}

function applied(row: Row | undefined, write: ConversationWrite): Row {
  const { mode, source, dropLast = 0, idempotency, traceId } = write;
  const now = Date.now();
  const replaces = mode === "replace";
  const kept = keptOf(row, write);
  const ids = new Set(kept.map(({ own }) => own?.id));
  const added = write.messages.filter(({ own }) => {
    if (own === undefined) return true;
    const isNew = !ids.has(own.id);
    ids.add(own.id);
    return isNew;
  });
  const messages = trim([...kept, ...added], write.maxMessages);
  const nextPosition = (row?.nextPosition ?? source?.firstPosition ?? 0) - dropLast + added.length;
  const changes =
    replaces || dropLast + added.length > 0 || row === undefined || messages.length < kept.length;
  const writes = (row?.writes ?? 0) + 1;
  const keys = (row?.keys ?? []).filter((known) => known.write >= writes - IDEMPOTENCY_WINDOW);
  const traceIds = [
    ...(row?.traceIds ?? source?.traceIds ?? []),
    ...(traceId === undefined ? [] : [traceId]),
  ];
  const changesMetadata = replaces || Object.keys(write.metadata).length > 0;
  return {
    conversationId: write.conversationId,
    incarnation: row?.incarnation ?? write.create?.incarnation ?? "",
    userId: row?.userId ?? write.userId,
    parent: row === undefined ? write.childOf : row.parent,
    messages,
    metadata: { ...(replaces ? {} : row?.metadata), ...write.metadata },
    traceIds: [...new Set(traceIds)],
    keys: idempotency === undefined ? keys : [...keys, { ...idempotency, write: writes, nextPosition }],
    createdAt: row?.createdAt ?? source?.createdAt.getTime() ?? now,
    lastActivity: source?.lastActivity.getTime() ?? Math.max(now, row?.lastActivity ?? 0),
    ttlSeconds: write.ttlSeconds ?? row?.ttlSeconds,
    version: source?.version ?? (row?.version ?? 0) + (changes ? 1 : 0),
    metadataVersion: source?.metadataVersion ?? (row?.metadataVersion ?? 0) + (changesMetadata ? 1 : 0),
    nextPosition,
    writes,
  };
}

function toStored(row: Row, messages: readonly EncodedMessage[]): StoredConversation {
  const {
    userId,
    parent,
    keys: _keys,
    traceIds: _traceIds,
    ttlSeconds: _ttlSeconds,
    writes: _writes,
    ...stored
  } = row;
  return {
    ...stored,
    ...(userId === undefined ? {} : { userId }),
    ...(parent === undefined ? {} : { childOf: parent.conversationId }),
    messages: messages.map(({ body }) => body),
    createdAt: new Date(row.createdAt),
    lastActivity: new Date(row.lastActivity),
    totalMessages: row.messages.length,
  };
}

function toRead(row: Row, { messages: selection, receiptFor, forExport }: ReadRequest) {
  const { messages, nextPosition, traceIds, ttlSeconds } = row;
  const first = nextPosition - messages.length;
  const positionOf = (messageId: string) => {
    const index = messages.findIndex(({ own }) => own?.id === messageId);
    return index < 0 ? undefined : first + index;
  };
  const bounds = selectedBounds(selection, { totalMessages: messages.length, nextPosition, positionOf });
  const receipt = receiptFor === undefined ? undefined : row.keys.find(({ key }) => key === receiptFor);
  const messageIds = messages.map(({ own }) => own?.id ?? null);
  return {
    conversation: toStored(row, messages.slice(...bounds)),
    firstPosition: bounds[0] === bounds[1] ? nextPosition : first + bounds[0],
    ...(receipt && { receipt: { nextPosition: receipt.nextPosition } }),
    ...(forExport && {
      forExport: { traceIds, messageIds, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) },
    }),
  };
}

/** Whether the conversation comes behind this place: newest activity first, then by id. */
const isBehind = (row: Row, time: number, id: string) =>
  row.lastActivity < time || (row.lastActivity === time && row.conversationId < id);

const isOfFamily = ({ parent }: Row, { conversationId, childrenOf }: ConversationQuery) =>
  childrenOf === undefined
    ? parent === undefined || conversationId !== undefined
    : parent?.conversationId === childrenOf;

const matches = (row: Row, { conversationId, userId, traceId, since, until, cursor }: ConversationQuery) =>
  (conversationId === undefined || row.conversationId === conversationId) &&
  (userId === undefined || row.userId === userId) &&
  (traceId === undefined || row.traceIds.includes(traceId)) &&
  (since === undefined || row.lastActivity >= since.getTime()) &&
  (until === undefined || row.lastActivity <= until.getTime()) &&
  (cursor === undefined || isBehind(row, cursor.lastActivity.getTime(), cursor.conversationId));

/** Returns a backend on the contents of a storage. Each method does its work in one synchronous step. */
export function backendOn({ rows, tombstones }: Store): MemoryBackend {
  const isLive = ({ lastActivity, ttlSeconds, parent }: Row): boolean =>
    (ttlSeconds === undefined || Date.now() < lastActivity + ttlSeconds * 1_000) &&
    (parent === undefined || live(parent.conversationId)?.incarnation === parent.incarnation);

  function live(conversationId: string): Row | undefined {
    const row = rows.get(conversationId);
    return row !== undefined && isLive(row) ? row : undefined;
  }

  const liveOf = (userId?: string) =>
    [...rows.values()].filter((row) => isLive(row) && (userId === undefined || row.userId === userId));

  const leaveTombstone = (kind: "conversation" | "user", id: string) =>
    tombstones.set(tombstoneKey(kind, id), {
      id: randomUUID(),
      until: Date.now() + TOMBSTONE_SECONDS * 1_000,
    });

  function tombstoneOf(kind: "conversation" | "user", id: string): string | null {
    const tombstone = tombstones.get(tombstoneKey(kind, id));
    return tombstone !== undefined && Date.now() < tombstone.until ? tombstone.id : null;
  }

  const tombstonesOf = (conversationId: string, userId?: string): Tombstones => ({
    conversation: tombstoneOf("conversation", conversationId),
    user: userId === undefined ? null : tombstoneOf("user", userId),
  });

  function erase(conversationId: string): boolean {
    const existed = live(conversationId) !== undefined;
    rows.delete(conversationId);
    leaveTombstone("conversation", conversationId);
    const children = [...rows.values()].filter(({ parent }) => parent?.conversationId === conversationId);
    for (const child of children) erase(child.conversationId);
    return existed;
  }

  return {
    name: "my-store",
    ping: async () => {},
    close: async () => {},
    write: async (write) => {
      const row = live(write.conversationId);
      const parent = write.childOf && live(write.childOf.conversationId);
      const tombstones = tombstonesOf(write.conversationId, write.userId);
      const refused = refusal(row, write, { tombstones, parent });
      if (refused !== undefined) return refused;
      rows.set(write.conversationId, applied(row, write));
      return { status: "written" };
    },
    read: async (request) => {
      const { conversationId, tombstones: asked, asksTime } = request;
      const row = live(conversationId);
      const content =
        row === undefined
          ? { conversation: null, ...(asked && { tombstones: tombstonesOf(conversationId, asked.userId) }) }
          : toRead(row, request);
      return { ...content, ...(asksTime && { readAt: new Date() }) };
    },
    delete: async (conversationId) => erase(conversationId),
    find: async (query) => {
      const found = liveOf().filter((row) => isOfFamily(row, query) && matches(row, query));
      found.sort((a, b) => (isBehind(a, b.lastActivity, b.conversationId) ? 1 : -1));
      return found
        .slice(query.offset, query.limit === undefined ? undefined : query.offset + query.limit)
        .map((row) => toStored(row, query.includeMessages ? row.messages : []));
    },
    clearUser: async (userId) => {
      leaveTombstone("user", userId);
      const owned = liveOf(userId);
      for (const { conversationId } of owned) erase(conversationId);
      return owned.filter(({ parent }) => parent === undefined).length;
    },
    stats: async (userId) => {
      const counted = liveOf(userId).filter(({ parent }) => parent === undefined);
      const times = counted.map(({ createdAt }) => createdAt);
      return {
        totalConversations: counted.length,
        totalMessages: counted.reduce((sum, { messages }) => sum + messages.length, 0),
        ...(counted.length > 0 && {
          oldestConversation: new Date(Math.min(...times)),
          newestConversation: new Date(Math.max(...times)),
        }),
      };
    },
    toMemoryError: (operation, thrown) =>
      createMemoryStorageError(operation, "the storage failed.", { provider: "my-store", cause: thrown }),
  };
}

/** The stores of this process, by location. */
const stores = new Map<string, Store>();

export async function openMyStoreBackend({ location }: MyStoreOptions): Promise<MemoryBackend> {
  const store = stores.get(location) ?? { rows: new Map(), tombstones: new Map() };
  stores.set(location, store);
  return backendOn(store);
}

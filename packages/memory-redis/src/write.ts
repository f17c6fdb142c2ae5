import { randomUUID } from "node:crypto";
import type { ConversationWrite, WriteOutcome } from "@jaf/memory";
import type { RedisPort } from "./client/port.ts";
import { DamagedConversation, UnsteadyConversation } from "./conversation.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import { number, text, UnexpectedReply } from "./replies.ts";
import type { ReplicaWait, RunScript } from "./scripts/runner.ts";

/** 128 bits tell bodies apart, and a thousand of them are kept with each conversation. */
const HASH_LENGTH = 32;

/** Some centuries, which is for ever; more would not fit the server's clock. */
const MAX_TTL_SECONDS = 10_000_000_000;

/** As `write.lua` has it. */
type Indexing =
  | { readonly indexing: "atomic" | "ask" }
  | {
      readonly indexing: "reserved";
      readonly reservedAt: number;
      readonly reservedNew: boolean;
      readonly kept: boolean;
    };

interface WriteReply {
  readonly status: string;
  readonly version: number;
  /** With `reserve`: the time. */
  readonly lastActivityMs: number;
  readonly created: boolean;
  readonly userId: string | undefined;
  /** 0: kept for ever. */
  readonly ttlMs: number;
  /** With `reserve`: whether the indexes that it is in have to be kept for that ttl. */
  readonly keep: boolean;
  readonly traceIds: readonly string[];
}

const WRITTEN: WriteReply = {
  ...{ status: "written", version: 0, lastActivityMs: 0, created: false, userId: undefined },
  ...{ ttlMs: 0, keep: false, traceIds: [] },
};

function parseReply(reply: unknown): WriteReply {
  if (!Array.isArray(reply)) return WRITTEN;
  const [status, version, lastActivity, created, owner, ttlMs, keep, ...traceIds] = reply;
  return {
    status: text(status),
    version: number(version),
    lastActivityMs: number(lastActivity),
    created: number(created) === 1,
    userId: text(owner) || undefined,
    ttlMs: number(ttlMs),
    keep: number(keep) === 1,
    traceIds: traceIds.map(text),
  };
}

function toOutcome({ status, version }: WriteReply): WriteOutcome {
  switch (status) {
    case "written":
    case "replayed":
      return { status };
    case "version":
      return { status: "conflict", reason: status, actualVersion: version };
    case "owner":
    case "idempotency-key":
      return { status: "conflict", reason: status };
    case "damaged":
      throw new DamagedConversation("a part of the conversation is gone");
    default:
      throw new UnexpectedReply("unknown outcome of a write");
  }
}

const ttlInMs = (seconds: number): number => Math.min(seconds, MAX_TTL_SECONDS) * 1_000;

export interface WriterOptions {
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  /** Whether the indexes are on the same server as the conversation. */
  readonly atomic: boolean;
  readonly port: Pick<RedisPort, "isCluster" | "mayResend">;
  /** The ttl in seconds of conversations whose writes name none. */
  readonly ttl?: number | undefined;
  readonly wait?: ReplicaWait | undefined;
  /** Told of a conversation with a ttl that was created. */
  readonly onCreated: (conversationId: string, userId: string | undefined) => Promise<void>;
}

/** How often a write may find that its reservation is good no more. */
const RESERVATIONS = 5;

export function createWriter(options: WriterOptions) {
  const { run, keys, indexes, atomic, port, ttl, wait, onCreated } = options;

  // No caller's key begins with NUL.
  const ownKey = () => (port.mayResend ? { key: `\0${randomUUID()}`, bodyHash: "-" } : undefined);

  /** What every attempt at a write sends alike. */
  function prepare(write: ConversationWrite) {
    const { mode, conversationId, userId, traceId, messages, metadata } = write;
    const idempotency = write.idempotency ?? ownKey();
    const scriptKeys = keys.ofScript(conversationId, port.isCluster);
    const fields = Object.entries(metadata);
    // Read by the script: the shorter, the sooner.
    const given: Record<string, unknown> = { prefix: keys.prefix, mode, id: conversationId };
    if (userId !== undefined) given["user"] = userId;
    if (traceId !== undefined) given["trace"] = traceId;
    if (write.expectedVersion !== undefined) given["version"] = write.expectedVersion;
    if (write.maxMessages !== undefined) given["max"] = write.maxMessages;
    if (write.ttlSeconds !== undefined) given["ttl"] = ttlInMs(write.ttlSeconds);
    if (ttl !== undefined) given["newTtl"] = ttlInMs(ttl);
    if (wait !== undefined) given["wait"] = true;
    if (atomic) given["recent"] = keys.recencyIndex(conversationId);
    if (idempotency !== undefined) {
      given["key"] = idempotency.key;
      given["hash"] = idempotency.bodyHash.slice(0, HASH_LENGTH);
    }
    if (fields.length > 0) {
      given["metadata"] = fields.flatMap(([field, value]) => [field, JSON.stringify(value)]);
    }
    const bodies = messages.map(({ body, isToolResult }) => (isToolResult ? ` ${body}` : body));
    return (indexing: Indexing): Promise<unknown> => {
      const args = [JSON.stringify(Object.assign(given, indexing)), ...bodies];
      return run("write", { keys: scriptKeys, args }, wait);
    };
  }

  async function reserveAndWrite(
    write: ConversationWrite,
    send: (how: Indexing) => Promise<unknown>,
  ): Promise<{ readonly reply: WriteReply; readonly reserved: boolean }> {
    const { conversationId, userId, traceId } = write;
    let reply = parseReply(await send({ indexing: "ask" }));
    for (let attempt = 0; reply.status === "reserve"; attempt++) {
      if (attempt === RESERVATIONS)
        throw new UnsteadyConversation("it was deleted again and again meanwhile");
      const { lastActivityMs: nowMs, created, ttlMs, keep } = reply;
      const joined = created || reply.userId !== userId ? userId : undefined;
      const traceIds = traceId === undefined ? [] : [traceId];
      await indexes.reserve({ conversationId, recent: created, userId: joined, traceIds }, { nowMs, ttlMs });
      if (keep) {
        const present = { conversationId, recent: false, userId: reply.userId, traceIds: reply.traceIds };
        await indexes.keep(present, ttlMs);
      }
      reply = parseReply(
        await send({ indexing: "reserved", reservedAt: nowMs, reservedNew: created, kept: keep }),
      );
      if (reply.status !== "reserve") return { reply, reserved: true };
    }
    return { reply, reserved: false };
  }

  async function writeWithIndexesElsewhere(
    write: ConversationWrite,
    send: (how: Indexing) => Promise<unknown>,
  ) {
    const { conversationId, traceId } = write;
    const { reply, reserved } = await reserveAndWrite(write, send);
    const { status, lastActivityMs, userId } = reply;
    // A replay may be the retry of one that came this far and no further.
    if (lastActivityMs > 0 && (reserved || status === "written" || status === "replayed")) {
      const traceIds = reserved && traceId !== undefined ? [traceId] : [];
      await indexes.settle({ conversationId, userId, traceIds }, lastActivityMs);
    }
    return reply;
  }

  return async function write(conversationWrite: ConversationWrite): Promise<WriteOutcome> {
    const send = prepare(conversationWrite);
    const reply = atomic
      ? parseReply(await send({ indexing: "atomic" }))
      : await writeWithIndexesElsewhere(conversationWrite, send);
    if (reply.status === "written" && reply.created && reply.ttlMs > 0) {
      await onCreated(conversationWrite.conversationId, reply.userId);
    }
    return toOutcome(reply);
  };
}

import { randomUUID } from "node:crypto";
import type { ConversationWrite, WriteOutcome } from "@jaf/memory";
import { DamagedConversation } from "./conversation.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import { list, number, text, UnexpectedReply } from "./replies.ts";
import type { ReplicaWait, RunScript } from "./scripts/runner.ts";

/** 128 bits tell bodies apart, and a thousand of them are kept with each conversation. */
const HASH_LENGTH = 32;

/** Some centuries, which is for ever; more would not fit the server's clock. */
const MAX_TTL_SECONDS = 10_000_000_000;

type Indexing = "atomic" | "ask" | "reserved";

interface WriteReply {
  readonly status: string;
  readonly version: number;
  /** With `reserve`: the time. */
  readonly lastActivityMs: number;
  readonly created: boolean;
  readonly userId: string | undefined;
  /** 0: kept for ever. */
  readonly ttlMs: number;
  /** Whether the indexes have to be kept for that ttl. */
  readonly keep: boolean;
  readonly traceIds: readonly string[];
}

const WRITTEN: WriteReply = {
  ...{ status: "written", version: 0, lastActivityMs: 0, created: false, userId: undefined },
  ...{ ttlMs: 0, keep: false, traceIds: [] },
};

function parseReply(reply: unknown): WriteReply {
  if (!Array.isArray(reply)) return WRITTEN;
  const [status, version, lastActivity, created, owner, ttlMs, keep, ...traceIds] = list(reply);
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

const ttlInMs = (seconds: number | undefined): number | undefined =>
  seconds === undefined ? undefined : Math.min(seconds, MAX_TTL_SECONDS) * 1_000;

export interface WriterOptions {
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly indexing: "atomic" | "ask";
  /** Whether the client may send a write again, which then needs a key to be known by. */
  readonly mayResend: boolean;
  /** The ttl in seconds of conversations whose writes name none. */
  readonly ttl?: number | undefined;
  readonly wait?: ReplicaWait | undefined;
  /** Told of a conversation with a ttl that was created. */
  readonly onCreated: (conversationId: string, userId: string | undefined) => Promise<void>;
}

export function createWriter(options: WriterOptions) {
  const { run, keys, indexes, indexing, mayResend, ttl, wait, onCreated } = options;

  // No caller's key begins with NUL.
  const ownKey = () => (mayResend ? { key: `\0${randomUUID()}`, bodyHash: "-" } : undefined);

  /** What every attempt at a write sends alike. */
  function prepare(write: ConversationWrite) {
    const { mode, conversationId, userId, traceId, messages, metadata } = write;
    const idempotency = write.idempotency ?? ownKey();
    const { conversation } = keys.of(conversationId);
    const fields = Object.entries(metadata);
    const given = {
      prefix: keys.prefix,
      mode,
      id: conversationId,
      recent: keys.recencyIndex(conversationId),
      user: userId,
      trace: traceId,
      version: write.expectedVersion,
      key: idempotency?.key,
      hash: idempotency?.bodyHash.slice(0, HASH_LENGTH),
      max: write.maxMessages,
      ttl: ttlInMs(write.ttlSeconds),
      newTtl: ttlInMs(ttl),
      wait: wait === undefined ? undefined : true,
      indexing: "atomic" as Indexing,
      metadata:
        fields.length === 0 ? undefined : fields.flatMap(([field, value]) => [field, JSON.stringify(value)]),
    };
    const bodies = messages.map(({ body, isToolResult }) => (isToolResult ? ` ${body}` : body));
    return (indexing: Indexing): Promise<WriteReply> => {
      given.indexing = indexing;
      return run("write", { keys: [conversation], args: [JSON.stringify(given), ...bodies] }, wait).then(
        parseReply,
      );
    };
  }

  async function writeWithIndexesElsewhere(
    write: ConversationWrite,
    send: (how: Indexing) => Promise<WriteReply>,
  ) {
    const { conversationId, userId, traceId } = write;
    const named = { conversationId, userId, traceIds: traceId === undefined ? [] : [traceId] };
    let reply = await send("ask");
    const reserved = reply.status === "reserve";
    if (reserved) {
      await indexes.reserve(named, { nowMs: reply.lastActivityMs, created: reply.created });
      reply = await send("reserved");
    }
    const { status, lastActivityMs, userId: owner, ttlMs } = reply;
    // A replay may be the retry of one that came this far and no further.
    if (lastActivityMs > 0 && (reserved || status === "written" || status === "replayed")) {
      const traceIds = [...reply.traceIds, ...(reserved ? named.traceIds : [])];
      const keep = reply.keep || reserved ? { ttlMs } : undefined;
      await indexes.settle({ conversationId, userId: owner, traceIds }, { lastActivityMs, keep });
    }
    return reply;
  }

  return async function write(conversationWrite: ConversationWrite): Promise<WriteOutcome> {
    const send = prepare(conversationWrite);
    const reply =
      indexing === "atomic" ? await send("atomic") : await writeWithIndexesElsewhere(conversationWrite, send);
    if (reply.status === "written" && reply.created && reply.ttlMs > 0) {
      await onCreated(conversationWrite.conversationId, reply.userId);
    }
    return toOutcome(reply);
  };
}

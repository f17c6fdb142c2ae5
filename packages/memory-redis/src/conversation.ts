import { present, type ReadOutcome, type ReadRequest, type StoredConversation } from "@jaf/memory/adapter";
import type { RedisPort } from "./client/port.ts";
import { type Head, number, text } from "./decoding.ts";
import type { Indexes } from "./indexes.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";
import { createSelectionReader, PART, type Selection } from "./selection.ts";
import { bodyOf } from "./stored-message.ts";
import type { TombstoneStore } from "./tombstones.ts";

/** Redis is configured to evict keys when its memory is full, and has evicted a part of this conversation. */
export class DamagedConversation extends Error {
  override readonly name = "DamagedConversation";
}

/** It was trimmed or replaced again and again while it was being read. */
export class UnsteadyConversation extends Error {
  override readonly name = "UnsteadyConversation";
}

const ATTEMPTS = 8;

interface Selected {
  readonly bodies: readonly string[];
  readonly ownIds: readonly (string | null)[];
}

function selectedIn({ from, to, items, ownIds }: Selection): Selected {
  if (items.length !== Math.min(to - from, PART))
    throw new DamagedConversation("a part of the conversation is gone");
  return {
    bodies: items.map(bodyOf),
    ownIds: ownIds.map((id) => (id == null ? null : text(id))),
  };
}

/** What this package returns of a conversation. */
export function toStored(head: Head, messages: readonly string[]): StoredConversation {
  const { generation: _, ownTtl: __, idFields: ___, ...stored } = head;
  return Object.assign(stored, { messages });
}

/** A key's value is the hash of its write, how many writes there were, and the position behind the last message. */
const toReceipt = (value: string) => ({ nextPosition: Number(value.slice(value.lastIndexOf(" ") + 1)) });

function toOutcome(firstRead: Selection, { bodies, ownIds }: Selected, forExport: boolean): ReadOutcome {
  const { head, from, receipt, traceIds, readAt } = firstRead;
  const { nextPosition, totalMessages, ownTtl } = head;
  return {
    readAt,
    conversation: toStored(head, bodies),
    firstPosition: bodies.length === 0 ? nextPosition : nextPosition - totalMessages + from,
    ...(receipt === undefined ? {} : { receipt: toReceipt(receipt) }),
    ...(forExport
      ? {
          forExport: {
            traceIds,
            ...present({ ttlSeconds: ownTtl }),
            messageIds: bodies.map((_, at) => ownIds[at] ?? null),
          },
        }
      : {}),
  };
}

export interface ConversationReaderOptions {
  readonly port: RedisPort;
  readonly run: RunScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether the indexes are on the same server as the conversation. */
  readonly atomic: boolean;
  /** Whether a read restarts the ttl of the conversation. */
  readonly touches: boolean;
}

/** Reads conversations, long ones in parts. */
export function createConversationReader(options: ConversationReaderOptions) {
  const { port, run, keys, indexes, tombstones, atomic, touches } = options;
  const select = createSelectionReader(run, keys, port.isCluster);

  async function touch(conversationId: string): Promise<void> {
    const send = (kept: boolean): Promise<unknown> => {
      const args = [atomic ? "atomic" : "", keys.prefix, kept ? 1 : 0];
      return run("touch", { keys: keys.ofScript(conversationId, port.isCluster), args });
    };
    const reply = await send(false);
    if (!Array.isArray(reply)) return;
    const [ttlMs, owner, ...traceIds] = reply;
    const listed = {
      conversationId,
      recent: false,
      userId: text(owner) || undefined,
      traceIds: traceIds.map(text),
    };
    await indexes.extend(listed, number(ttlMs));
    await send(true);
  }

  /** What is selected beyond the first part is read, too. `undefined`: the conversation isn't what it was. */
  async function complete(
    { head, from, to }: Selection,
    request: ReadRequest,
  ): Promise<Selected[] | undefined> {
    const { conversationId, forExport = false } = request;
    const first = head.nextPosition - head.totalMessages;
    const parts: ReturnType<typeof select>[] = [];
    for (let next = from + PART; next < to; next += PART) {
      const limit = Math.min(PART, to - next);
      const messages = { kind: "range", after: first + next - 1, limit } as const;
      parts.push(select({ conversationId, messages, forExport }));
    }
    const read: Selected[] = [];
    for (const part of await Promise.all(parts)) {
      if (part.head === undefined || part.head.generation !== head.generation) return undefined;
      read.push(selectedIn(part));
    }
    return read;
  }

  /** The conversation as it was at one moment, without its tombstones. */
  async function peek(request: ReadRequest): Promise<ReadOutcome> {
    for (let round = 0; round < ATTEMPTS; round++) {
      const read = await select(request);
      if (read.head === undefined) return { conversation: null, readAt: read.readAt };
      const rest = await complete(read, request);
      if (rest === undefined) continue;
      const parts = [selectedIn(read), ...rest];
      const selected = {
        bodies: parts.flatMap(({ bodies }) => bodies),
        ownIds: parts.flatMap(({ ownIds }) => ownIds),
      };
      return toOutcome(read, selected, request.forExport === true);
    }
    throw new UnsteadyConversation("the conversation changed faster than it could be read");
  }

  return {
    /** All of it; `null`: there is none. */
    peekAll: async (conversationId: string): Promise<StoredConversation | null> =>
      (await peek({ conversationId, messages: { kind: "all" } })).conversation,

    /** Also restarts its ttl. */
    read: async (request: ReadRequest): Promise<ReadOutcome> => {
      const { conversationId, tombstones: asked } = request;
      const peeking = peek(request);
      if (touches) await Promise.all([peeking, touch(conversationId)]);
      const outcome = await peeking;
      if (outcome.conversation !== null || asked === undefined) return outcome;
      return { ...outcome, tombstones: await tombstones.read(conversationId, asked.userId) };
    },
  };
}

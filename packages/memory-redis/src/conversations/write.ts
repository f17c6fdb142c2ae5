import type { ParentConversation } from "@jaf/memory";
import { type ConversationWrite, messageHash, type WriteOutcome } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Keys } from "../keys.ts";
import type { ReplicaWait, ScriptCall } from "../lua.ts";
import type { TurnLogPlace } from "../turn-log/place.ts";
import type { TombstoneStore } from "./erasure.ts";
import type { IndexedConversation, Indexes } from "./indexes.ts";
import { UnsteadyConversation } from "./read.ts";
import type { RunConversationScript } from "./scripts/index.ts";
import { createWriteArguments, parseReply, toOutcome, tracesOf, type WriteReply } from "./write-call.ts";

/** The fields of the script `write`'s argument that say how to update the indexes. */
type Indexing =
  | { readonly indexing: "atomic" | "ask" }
  | {
      readonly indexing: "reserved";
      readonly reservedAt: number;
      readonly reservedNew: boolean;
      readonly kept: boolean;
      /**
       * For a new child: the content of its tombstone before it was registered at its parent (`""`: none), and its ttl
       * in milliseconds (absent: none).
       */
      readonly gone?: string;
      readonly childTtl?: number;
      /** The content of the user's tombstone when the index entry was reserved. `""`: there was no tombstone. */
      readonly userFound?: string;
    };

/** The statuses of refusals that the script `write` checks after the expected incarnation. */
const LATER_REFUSALS = new Set(["version", "metadata-version", "missing", "length", "message-id"]);

export interface WriterOptions {
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly indexes: Indexes;
  readonly tombstones: TombstoneStore;
  /** Whether each conversation is on the same server as its indexes. */
  readonly atomic: boolean;
  readonly port: Pick<RedisPort, "isCluster" | "mayResend">;
  /** The default ttl of conversations, in seconds. Absent: no expiry. */
  readonly ttl?: number | undefined;
  readonly wait?: ReplicaWait | undefined;
  /** Called after a child, or a conversation that has a ttl, was created. */
  readonly onCreated: (conversation: IndexedConversation) => Promise<void>;
}

/** How many times a write reserves its index entries before it gives up. */
// A reservation becomes invalid if it gets too old, or if the conversation is deleted before the write.
const RESERVATIONS = 5;

/** How many times a new child may be erased during its creation. After more, the write is refused. */
const MAX_ERASURES = 1;

/** Returns the tombstones that a write expects, or `undefined` if the write doesn't expect a missing conversation. */
const expectedTombstones = ({ expectedIncarnation: expected }: ConversationWrite) =>
  expected !== undefined && "absent" in expected ? expected.absent : undefined;

export function createWriter(options: WriterOptions) {
  const { run, keys, indexes, tombstones, atomic, port, ttl, wait, onCreated } = options;
  const toInput = createWriteArguments({
    keys,
    atomic,
    mayResend: port.mayResend,
    ttl,
    waits: wait !== undefined,
  });

  /** Returns a function that makes one attempt of a write. */
  function prepare(write: ConversationWrite) {
    const { conversationId, messages, childOf } = write;
    const input = toInput(write);
    const checksTombstone = expectedTombstones(write) !== undefined || (childOf !== undefined && !atomic);
    const parent = childOf === undefined || !atomic ? undefined : keys.of(childOf.conversationId);
    const scriptKeys = keys.ofScript(conversationId, port.isCluster, [
      ...(checksTombstone ? [keys.conversationTombstone(conversationId)] : []),
      ...(parent === undefined ? [] : [parent.conversation, parent.children]),
    ]);
    const bodies = messages.map(({ body, isToolResult }) => (isToolResult ? ` ${body}` : body));
    const hashes = messages.map(({ body }) => messageHash(body));
    return (how: Indexing): Promise<unknown> => {
      const args = [JSON.stringify(Object.assign(input, how)), ...bodies, ...hashes];
      const { beginsTurn } = write;
      if (beginsTurn === undefined) return run("write", { keys: scriptKeys, args }, wait);
      const begin = (beginsTurn.place as TurnLogPlace).callOf(beginsTurn);
      const call: ScriptCall = { keys: [...begin.keys, ...scriptKeys], args: [...begin.args, ...args] };
      return run("writeAndBegin", call, wait);
    };
  }

  const register = (
    { conversationId, userId, ttlSeconds = 0 }: ConversationWrite,
    parent: ParentConversation,
    { nowMs, ttlMs }: WriteReply,
  ) => indexes.register(conversationId, parent, { nowMs, userId, ownTtlMs: ttlSeconds * 1_000, ttlMs });

  async function reserveAndWrite(
    write: ConversationWrite,
    send: (how: Indexing) => Promise<unknown>,
  ): Promise<{ readonly reply: WriteReply; readonly reserved: boolean }> {
    const { conversationId, userId } = write;
    const expected = expectedTombstones(write);
    const user =
      userId === undefined || expected === undefined
        ? undefined
        : { tombstone: keys.userTombstone(userId), expected: expected.user ?? "" };
    let reply = parseReply(await send({ indexing: "ask" }));
    let tombstone = reply.gone;
    let erasures = 0;
    for (let attempt = 0; reply.status === "reserve"; attempt++) {
      if (attempt === RESERVATIONS) throw new UnsteadyConversation("it was deleted during each attempt");
      if (reply.gone !== tombstone) erasures += 1;
      tombstone = reply.gone;
      // A deletion of the parent goes on as long as children are registered.
      if (erasures > MAX_ERASURES) return { reply: { ...reply, status: "incarnation" }, reserved: false };
      const { nowMs, absent, keep, childOf, gone } = reply;
      const child =
        absent && write.childOf !== undefined ? await register(write, write.childOf, reply) : undefined;
      if (child !== undefined && child.status !== "registered") {
        return { reply: { ...reply, status: child.status }, reserved: false };
      }
      const ttlMs = child?.ttlMs ?? reply.ttlMs;
      const joined = absent || reply.userId !== userId ? userId : undefined;
      const isListed = childOf === undefined;
      const traceIds = isListed ? tracesOf(write) : [];
      const indexed = { conversationId, childOf, recent: absent && isListed, userId: joined, traceIds };
      const userFound = await indexes.reserve(indexed, { nowMs, ttlMs, user });
      if (keep) {
        const { userId: owner, traceIds: written } = reply;
        const present = { conversationId, childOf, recent: !isListed, userId: owner, traceIds: written };
        await indexes.extend(present, ttlMs);
      }
      const reservation = { reservedAt: nowMs, reservedNew: absent, kept: keep };
      const ofChild = child === undefined ? {} : { gone, ...(ttlMs === 0 ? {} : { childTtl: ttlMs }) };
      const found = user === undefined ? {} : { userFound };
      reply = parseReply(await send({ indexing: "reserved", ...reservation, ...ofChild, ...found }));
      if (reply.status !== "reserve") return { reply, reserved: true };
    }
    return { reply, reserved: false };
  }

  /** Returns whether a write must be refused because its user was erased. */
  async function isErased(write: ConversationWrite, { status, absent }: WriteReply): Promise<boolean> {
    const expected = expectedTombstones(write);
    if (!absent || expected === undefined || write.userId === undefined) return false;
    // The script `write` can't check a tombstone on another server. Its later refusals must not hide the erasure.
    if (!LATER_REFUSALS.has(status)) return false;
    const found = await tombstones.ofUser(write.userId);
    return found !== null && found !== expected.user;
  }

  async function writeWithIndexesElsewhere(
    write: ConversationWrite,
    send: (how: Indexing) => Promise<unknown>,
  ): Promise<WriteReply> {
    const { conversationId, source } = write;
    const { reply, reserved } = await reserveAndWrite(write, send);
    const { status, lastActivityMs, userId, childOf, absent, nowMs } = reply;
    const isThere = !absent || status === "written";
    // A replay may be the retry of a write that failed before its entries were confirmed.
    if (isThere && (reserved || status === "written" || status === "replayed")) {
      const traceIds = reserved && childOf === undefined ? tracesOf(write) : [];
      const indexed = { conversationId, childOf, userId, traceIds };
      await indexes.confirm(indexed, lastActivityMs, source === undefined ? undefined : nowMs);
    }
    return !reserved && (await isErased(write, reply)) ? { ...reply, status: "incarnation" } : reply;
  }

  return async function write(conversationWrite: ConversationWrite): Promise<WriteOutcome> {
    const send = prepare(conversationWrite);
    const reply = atomic
      ? parseReply(await send({ indexing: "atomic" }))
      : await writeWithIndexesElsewhere(conversationWrite, send);
    const { status, absent, ttlMs, userId, childOf } = reply;
    // No list repairs the entries of children in the index of their user.
    if (status === "written" && absent && (ttlMs > 0 || childOf !== undefined)) {
      await onCreated({ conversationId: conversationWrite.conversationId, userId, childOf });
    }
    return toOutcome(reply);
  };
}

import { type ReadRequest, type StoredSelection, selectedBounds } from "@jaf/memory/adapter";
import type { RedisPort } from "../client/clients.ts";
import type { Deadlines } from "../client/command-deadlines.ts";
import type { Keys } from "../keys.ts";
import { list, number, text } from "../lua.ts";
import { type Head, parseHead } from "./head.ts";
import type { RunConversationScript } from "./scripts/index.ts";

/** The maximum number of messages that one call reads, so no call blocks the server for long. */
export const PART = 2_000;

/** The result of a read's first round trip if the conversation doesn't exist. */
interface Absence {
  readonly head: undefined;
  readonly readAt: Date | undefined;
}

/** The result of a read's first round trip if the conversation exists. */
export interface FirstRoundTrip {
  /** The server's time. `undefined` if the request doesn't ask for it. */
  readonly readAt: Date | undefined;
  readonly head: Head;
  /**
   * The index of the first selected message in the stored list of messages (`from`), and the index after the last one
   * (`to`).
   */
  readonly from: number;
  readonly to: number;
  /**
   * The list items of the first {@link PART} selected messages. A list item is a message's JSON text and its digest.
   */
  readonly items: readonly unknown[];
  /** The stored value of the idempotency key. `undefined` if the request has no key, or if the key isn't stored. */
  readonly receipt?: string | undefined;
  /**
   * Only for an export: the own id of each message in `items` or `null` (`ownIds`), and the ids of the traces that
   * wrote to the conversation (`traceIds`). Otherwise both are empty.
   */
  readonly ownIds: readonly unknown[];
  readonly traceIds: readonly string[];
}

export interface FirstRoundTripOptions {
  readonly port: RedisPort;
  readonly run: RunConversationScript;
  readonly keys: Keys;
  readonly deadlines: Deadlines;
}

type Request = Pick<
  ReadRequest,
  "conversationId" | "messages" | "owner" | "receiptFor" | "forExport" | "asksTime"
>;

/**
 * The list indexes of the first and the last message to read. A negative index counts from the end of the list.
 * `"none"`: no messages are read.
 */
type Span = readonly [first: number, last: number] | "none";

/**
 * Returns the list indexes of a range of positions. They are right only if no message of the conversation was trimmed.
 */
function rangeSpan({ after, before, limit }: Extract<StoredSelection, { kind: "range" }>): Span {
  const fromEnd = after === undefined && before !== undefined && limit !== undefined;
  const from = fromEnd ? Math.max(0, before - limit) : (after ?? -1) + 1;
  const end = Math.min(before ?? from + PART, from + (limit ?? PART), from + PART);
  return end <= from ? "none" : [from, end - 1];
}

/** Returns the list indexes of the selected messages, or `undefined` if they aren't known before the read. */
function spanOf(selection: StoredSelection): Span | undefined {
  switch (selection.kind) {
    case "all":
      return [0, PART - 1];
    case "none":
      return "none";
    case "last":
      return selection.limit <= PART ? [-selection.limit, -1] : undefined;
    case "range":
      return rangeSpan(selection);
    case "message":
      return undefined;
  }
}

/** A placeholder argument of `selectedBounds` that is never called. */
// The script `selectMessages` reads a selection by a message's own id.
const positionOf = () => undefined;

const toReceipt = (value: unknown): string | undefined => (value == null ? undefined : text(value));

/** Parses a reply of the Redis command `TIME`, which consists of seconds and microseconds. */
function toTime(reply: unknown): Date {
  const [seconds, microseconds] = list(reply);
  return new Date(number(seconds) * 1_000 + Math.floor(number(microseconds) / 1_000));
}

/** Returns a function that makes the first round trip of a read. */
export function createFirstRoundTrip({ port, run, keys, deadlines }: FirstRoundTripOptions) {
  /**
   * Reads the messages at the list indexes `span` in a transaction. Resolves to `undefined` if the selected messages
   * are at other list indexes, because messages were trimmed.
   */
  async function readSpan(request: Request, span: Span): Promise<FirstRoundTrip | Absence | undefined> {
    const { conversationId, messages: selection, receiptFor, asksTime = false } = request;
    const { conversation, messages, idempotency } = keys.of(conversationId);
    const commands = [["HGETALL", conversation]];
    if (span !== "none") commands.push(["LRANGE", messages, String(span[0]), String(span[1])]);
    if (receiptFor !== undefined) commands.push(["HGET", idempotency, receiptFor]);
    if (asksTime) commands.push(["TIME"]);
    const [hash, ...rest] = await deadlines(port.sendTransaction(commands, conversation));
    const readAt = asksTime ? toTime(rest.pop()) : undefined;
    const head = parseHead(conversationId, hash);
    if (head === undefined) return { head, readAt };
    const { totalMessages, nextPosition } = head;
    const [from, to] = selectedBounds(selection, { totalMessages, nextPosition, positionOf });
    const isTrimmed = nextPosition > totalMessages;
    if (selection.kind === "range" && from < to && (isTrimmed || span === "none" || span[0] !== from))
      return undefined;
    const items = span === "none" || from === to ? [] : list(rest[0]);
    const receipt = receiptFor === undefined ? undefined : toReceipt(rest.at(-1));
    return { readAt, head, from, to, items, receipt, ownIds: [], traceIds: [] };
  }

  async function readSelected(request: Request): Promise<FirstRoundTrip | Absence> {
    const { conversationId, messages, owner, receiptFor, forExport } = request;
    const { kind, ...selection } = messages.kind === "none" ? { kind: "last", limit: 0 } : messages;
    const asked = {
      ...{ prefix: keys.prefix, part: PART, ...selection },
      ...{ owner, receipt: receiptFor, export: forExport },
    };
    const call = { keys: keys.ofScript(conversationId, port.isCluster), args: [JSON.stringify(asked)] };
    const [time, hash, from, to, items, receipt, ownIds, traceIds] = list(await run("selectMessages", call));
    const readAt = new Date(number(time));
    const head = parseHead(conversationId, hash);
    if (head === undefined) return { head, readAt };
    return {
      readAt,
      head,
      from: number(from),
      to: number(to),
      items: list(items),
      receipt: toReceipt(receipt),
      ownIds: list(ownIds),
      traceIds: list(traceIds).map(text),
    };
  }

  return async (request: Request): Promise<FirstRoundTrip | Absence> => {
    const needsScript = request.forExport === true || request.owner !== undefined;
    const span = needsScript ? undefined : spanOf(request.messages);
    const firstRead = span === undefined ? undefined : await readSpan(request, span);
    return firstRead === undefined ? readSelected(request) : firstRead;
  };
}

import type { ReadRequest, StoredSelection } from "@jaf/memory/adapter";
import type { RedisPort } from "./client/port.ts";
import type { Deadlines } from "./deadlines.ts";
import type { Keys } from "./keys.ts";
import { type Head, list, number, parseHead, text } from "./replies.ts";
import type { RunScript } from "./scripts/runner.ts";

/** Messages that one call fetches, so that none holds the server for long. */
export const PART = 2_000;

/** What the first round trip of a read brings. */
export interface Opening {
  readonly head: Head;
  /** Which messages are selected, as indexes of the list, the end exclusive. */
  readonly from: number;
  readonly to: number;
  /** The first of them, at most {@link PART}. */
  readonly items: readonly unknown[];
  /** The value of the idempotency key that was asked for. */
  readonly receipt?: string | undefined;
  /** For an export: the messages' own ids, and the traces. */
  readonly ownIds: readonly unknown[];
  readonly traceIds: readonly string[];
}

export interface OpeningReadOptions {
  readonly port: RedisPort;
  readonly run: RunScript;
  readonly keys: Keys;
  readonly deadlines: Deadlines;
}

type Request = Pick<ReadRequest, "conversationId" | "messages" | "receiptFor" | "forExport">;

/** As `LRANGE` takes it; `undefined`: it depends on the positions that the conversation has. */
function spanOf(selection: StoredSelection): readonly [first: number, last: number] | "none" | undefined {
  switch (selection.kind) {
    case "all":
      return [0, PART - 1];
    case "none":
      return "none";
    case "last":
      return selection.limit <= PART ? [-selection.limit, -1] : undefined;
    default:
      return undefined;
  }
}

const toReceipt = (value: unknown): string | undefined => (value == null ? undefined : text(value));

/** The first round trip of a read: a transaction where the span is known, else a script. `null`: there is none. */
export function createOpeningRead({ port, run, keys, deadlines }: OpeningReadOptions) {
  async function readSpan(request: Request, span: readonly [number, number] | "none") {
    const { conversationId, messages: selection, receiptFor } = request;
    const { conversation, messages, idempotency } = keys.of(conversationId);
    const commands = [["HGETALL", conversation]];
    if (span !== "none") commands.push(["LRANGE", messages, String(span[0]), String(span[1])]);
    if (receiptFor !== undefined) commands.push(["HGET", idempotency, receiptFor]);
    const [hash, ...rest] = await deadlines(port.sendAsOne(commands, conversation));
    const head = parseHead(conversationId, hash);
    if (head === undefined) return null;
    const items = span === "none" ? [] : list(rest[0]);
    const receipt = receiptFor === undefined ? undefined : toReceipt(rest.at(-1));
    const to = head.totalMessages;
    const selected = selection.kind === "all" ? to : selection.kind === "last" ? selection.limit : 0;
    return { head, from: Math.max(0, to - selected), to, items, receipt, ownIds: [], traceIds: [] };
  }

  async function readSelected(request: Request): Promise<Opening | null> {
    const { conversationId, messages, receiptFor, forExport } = request;
    const { kind, ...selection } = messages;
    const asked = { prefix: keys.prefix, part: PART, ...selection, receipt: receiptFor, export: forExport };
    const call = { keys: keys.ofScript(conversationId, port.isCluster), args: [JSON.stringify(asked)] };
    const reply = await run("select", call);
    if (reply === null) return null;
    const [hash, from, to, items, receipt, ownIds, traceIds] = list(reply);
    const head = parseHead(conversationId, hash);
    if (head === undefined) return null;
    return {
      head,
      from: number(from),
      to: number(to),
      items: list(items),
      receipt: toReceipt(receipt),
      ownIds: list(ownIds),
      traceIds: list(traceIds).map(text),
    };
  }

  return (request: Request): Promise<Opening | null> => {
    const span = request.forExport === true ? undefined : spanOf(request.messages);
    return span === undefined ? readSelected(request) : readSpan(request, span);
  };
}

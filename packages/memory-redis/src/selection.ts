import type { ReadRequest, StoredSelection } from "@jaf/memory/adapter";
import { type Head, list, number, parseHead, text } from "./decoding.ts";
import type { Keys } from "./keys.ts";
import type { RunScript } from "./scripts/runner.ts";

/** How many messages one call reads at most, so that no call blocks the server for long. */
export const PART = 2_000;

/** There is no conversation. */
interface Absence {
  readonly head: undefined;
  readonly readAt: Date;
}

/** Of the messages that were asked for, the first, and what else one call reads. */
export interface Selection {
  /** By the server's clock. */
  readonly readAt: Date;
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

type Request = Pick<ReadRequest, "conversationId" | "messages" | "receiptFor" | "forExport">;

/** As the script has it; without bounds it selects all. */
function boundsOf(selection: StoredSelection): object {
  if (selection.kind === "none") return { limit: 0 };
  const { kind: _, ...bounds } = selection;
  return bounds;
}

/** Reads a selection of messages, by one script. */
export function createSelectionReader(run: RunScript, keys: Keys, isCluster: boolean) {
  return async ({
    conversationId,
    messages,
    receiptFor,
    forExport,
  }: Request): Promise<Selection | Absence> => {
    const bounds = boundsOf(messages);
    const asked = { prefix: keys.prefix, part: PART, ...bounds, receipt: receiptFor, export: forExport };
    const call = { keys: keys.ofScript(conversationId, isCluster), args: [JSON.stringify(asked)] };
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
      receipt: receipt == null ? undefined : text(receipt),
      ownIds: list(ownIds),
      traceIds: list(traceIds).map(text),
    };
  };
}

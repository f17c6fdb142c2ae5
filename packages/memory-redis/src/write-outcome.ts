import type { WriteReceipt } from "@jaf/memory";
import type { WriteOutcome } from "@jaf/memory/adapter";
import { DamagedConversation } from "./conversation.ts";
import { list, number, text, UnexpectedReply } from "./decoding.ts";

/** A reply of the script `write`. */
export interface WriteReply {
  readonly status: string;
  /** With `metadata-version`: the metadata version. */
  readonly version: number;
  readonly lastActivityMs: number;
  /** Whether there was none. */
  readonly absent: boolean;
  readonly userId: string | undefined;
  /** 0: kept for ever. */
  readonly ttlMs: number;
  /** With `reserve`: whether the indexes that it is in have to be kept for that ttl. */
  readonly keep: boolean;
  readonly nowMs: number;
  readonly traceIds: readonly string[];
  /** With `written`. */
  readonly receipt?: WriteReceipt;
}

function parseReceipt(reply: unknown): WriteReceipt {
  const [version, nextPosition, totalMessages, historyDigest] = text(reply).split(" ");
  return {
    nextPosition: Number(nextPosition),
    totalMessages: Number(totalMessages),
    version: Number(version),
    ...(historyDigest ? { historyDigest } : {}),
  };
}

export function parseReply(reply: unknown): WriteReply {
  const [status, version, lastActivity, absent, owner, ttlMs, keep, now, ...rest] = list(reply);
  const isWritten = text(status) === "written";
  return {
    status: text(status),
    version: number(version),
    lastActivityMs: number(lastActivity),
    absent: number(absent) === 1,
    userId: text(owner) || undefined,
    ttlMs: number(ttlMs),
    keep: number(keep) === 1,
    nowMs: number(now),
    traceIds: isWritten ? [] : rest.map(text),
    ...(isWritten ? { receipt: parseReceipt(rest[0]) } : {}),
  };
}

export function toOutcome({ status, version, receipt }: WriteReply): WriteOutcome {
  switch (status) {
    case "written":
      return receipt === undefined ? { status } : { status, receipt };
    case "replayed":
    case "missing":
      return { status };
    case "version":
    case "metadata-version":
      return { status: "conflict", reason: status, actualVersion: version };
    case "owner":
    case "idempotency-key":
    case "incarnation":
    case "length":
    case "message-id":
      return { status: "conflict", reason: status };
    case "damaged":
      throw new DamagedConversation("a part of the conversation is gone");
    default:
      throw new UnexpectedReply("unknown outcome of a write");
  }
}

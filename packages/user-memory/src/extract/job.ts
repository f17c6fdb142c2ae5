import { createHash, randomUUID } from "node:crypto";
import type { MiddlewareTurn, RemembersSpec } from "@jaf/core";
import { type Message, messageText } from "@jaf/memory";
import type { ErasureMark } from "../erasure-mark.ts";
import type { ExtractionJob } from "../queue.ts";

/** Of a turn, so many messages and UTF-16 units are kept until it is extracted. */
const MAX_MESSAGES = 32;
const MAX_TEXT = 20_000;
const MAX_REPLY = 4_000;
const UNPORTABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export interface JobOf<Ctx> {
  readonly spec: RemembersSpec & { readonly user: string };
  readonly turn: MiddlewareTurn<Ctx>;
  readonly reply: Message;
  readonly threshold: number;
  readonly since: ErasureMark;
}

/** What is left to do of a turn. `undefined` where the user said nothing. */
export function jobOf<Ctx>({ spec, turn, reply, threshold, since }: JobOf<Ctx>): ExtractionJob | undefined {
  const skipped = Math.max(0, turn.said.length - MAX_MESSAGES);
  const said = turn.said.slice(skipped).map((message) => portable(messageText(message), MAX_TEXT));
  if (said.every((text) => text.trim() === "")) return undefined;
  const { conversationId } = turn;
  const position = turn.position === undefined ? undefined : turn.position + skipped;
  return {
    id: idOf([spec.user, conversationId, position, said]),
    userId: spec.user,
    said,
    reply: portable(messageText(reply), MAX_REPLY),
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(position === undefined ? {} : { position }),
    saidAt: new Date(turn.startedAt),
    tags: [...new Set(spec.tags ?? [])],
    ...(spec.extractWith === undefined ? {} : { model: spec.extractWith }),
    threshold,
    since,
  };
}

/** The same for the same turn, wherever it is known which one it is. */
function idOf(turn: readonly [string, string | undefined, number | undefined, readonly string[]]): string {
  const isKnown = turn[1] !== undefined && turn[2] !== undefined;
  return createHash("sha256")
    .update(isKnown ? JSON.stringify(turn) : randomUUID(), "utf8")
    .digest("base64url");
}

/** A text that every store keeps as it is. */
const portable = (text: string, most: number): string => text.slice(0, most).replaceAll(UNPORTABLE, "\ufffd");

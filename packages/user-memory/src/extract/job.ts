import { createHash, randomUUID } from "node:crypto";
import type { MiddlewareTurn, RemembersSpec } from "@jaf/core";
import type { Message } from "@jaf/memory";
import { messageText, present } from "@jaf/memory/adapter";
import type { ExtractionJob } from "../queue/queue.ts";
import { portable, readUserInput, secretless } from "./user-input.ts";

const MAX_REPLY = 4_000;

export interface JobOf<Ctx> {
  readonly spec: RemembersSpec & { readonly user: string };
  readonly turn: MiddlewareTurn<Ctx>;
  readonly reply: Message;
  readonly threshold: number;
}

/** A job but for its mark. */
export type UnmarkedJob = Omit<ExtractionJob, "since">;

/**
 * What is left to do of a turn. `undefined` where the user said nothing; `"private"` where they asked that something isn't kept:
 * then nothing of the turn is. Secrets aren't put into the queue.
 */
export function jobOf<Ctx>({
  spec,
  turn,
  reply,
  threshold,
}: JobOf<Ctx>): UnmarkedJob | "private" | undefined {
  const input = readUserInput({ ...turn, messages: turn.state.messages });
  if (input === "private") return "private";
  if (input.said.every((text) => text.trim() === "")) return undefined;
  const { conversationId } = turn;
  return {
    ...input,
    id: idOf([spec.user, conversationId, input.position, input.said]),
    userId: spec.user,
    reply: secretless(portable(messageText(reply), MAX_REPLY)),
    ...(spec.extract === "verbatim" ? { isVerbatim: true } : {}),
    ...present({ conversationId }),
    saidAt: new Date(turn.startedAt),
    tags: [...new Set(spec.tags ?? [])],
    ...present({ model: spec.extractWith }),
    threshold,
  };
}

/** The same for the same turn, wherever it is known which one it is. */
function idOf(turn: readonly [string, string | undefined, number | undefined, readonly string[]]): string {
  const isKnown = turn[1] !== undefined && turn[2] !== undefined;
  return createHash("sha256")
    .update(isKnown ? JSON.stringify(turn) : randomUUID(), "utf8")
    .digest("base64url");
}

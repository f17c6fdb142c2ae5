import type { Message } from "../../packages/memory/src/index.ts";

/** One append: two or three messages with the writer, the batch's number and their place in it. */
export interface Batch {
  readonly conversationId: string;
  readonly userId: string;
  /** The writer's trace, which finds every conversation that it wrote to. */
  readonly traceId: string;
  readonly writer: number;
  readonly number: number;
  readonly messages: readonly Message[];
}

export type BatchState = "pending" | "acknowledged" | "unacknowledged";

export interface BatchRecord {
  readonly batch: Batch;
  readonly state: BatchState;
}

const SHARED_CONVERSATIONS = 4;
const USERS = 3;
const BATCHES_IN_OWN = 10;

const textOf = (batch: string, index: number, size: number): string => `${batch} ${index + 1}/${size}`;

export const batchName = (writer: number, number: number): string => `${writer}:${number}`;

export const traceOf = (writer: number): string => `trace-${writer}`;

/** Alternates between a conversation of all writers and one of the writer's own, which changes now and then. */
export function createBatch(writer: number, number: number): Batch {
  const size = 2 + (number % 2);
  const own = Math.floor(number / (2 * BATCHES_IN_OWN));
  const shared = (writer + Math.floor(number / 2)) % SHARED_CONVERSATIONS;
  const isShared = number % 4 < 2;
  const user = (isShared ? shared : writer) % USERS;
  const name = batchName(writer, number);
  const messages = Array.from({ length: size }, (_, index): Message => {
    const content = textOf(name, index, size);
    return index % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
  });
  return {
    conversationId: isShared ? `shared-${shared}` : `own-${writer}-${own}`,
    userId: `user-${user}`,
    traceId: traceOf(writer),
    writer,
    number,
    messages,
  };
}

export interface StoredPart {
  readonly batch: string;
  readonly writer: number;
  readonly number: number;
  readonly index: number;
  readonly size: number;
}

/** The batch and place of a stored message; `undefined` if no writer wrote it. */
export function parsePart(message: Message): StoredPart | undefined {
  const match = /^(\d+):(\d+) (\d)\/(\d)$/.exec(typeof message.content === "string" ? message.content : "");
  if (match === null) return undefined;
  const [writer, number, place, size] = match.slice(1).map(Number);
  if (writer === undefined || number === undefined || place === undefined || size === undefined)
    return undefined;
  return { batch: batchName(writer, number), writer, number, index: place - 1, size };
}

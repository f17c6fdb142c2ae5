import { setImmediate } from "node:timers/promises";
import type { ConversationMemory, MemoryProvider, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { isVersionedProvider, messageText, readFrom } from "@jaf/memory/internal";
import { type TermOf, termsOf } from "../ranker/index.ts";

/*
 * What is kept of a conversation: numbers, and no text. A block for each message:
 *   its position, counted from `base` · what its text hashes to · 1 for the assistant's · how many numbers follow
 *   for each passage: how many terms follow · how many of them differ · the hashes of the terms
 */
export interface Segment {
  readonly conversationId: string;
  readonly base: number;
  readonly data: Uint32Array;
}

/** Numbers before the passages of a message, and before the terms of a passage. */
export const MESSAGE_HEAD = 4;
export const PASSAGE_HEAD = 2;

export interface IndexedConversation {
  /** Which state of the conversation this is of. */
  readonly revision: string;
  readonly segment: Segment;
}

export interface IndexScope {
  readonly provider: MemoryProvider;
  readonly userId: string;
  readonly yieldIfDue: YieldIfDue;
}

interface ConversationReading {
  readonly before: Segment | undefined;
  readonly maxBytes: number;
  readonly termOf: TermOf;
}

/** Read at once: a conversation may have any number of messages. */
const WINDOW = 100;

/**
 * Reads a conversation; what stands where it stood isn't read for its words again. At most so many bytes: of a longer one, the
 * end. `undefined`: it isn't the user's, or not any more.
 */
export async function indexConversation(
  scope: IndexScope,
  conversationId: string,
  { before, maxBytes, termOf }: ConversationReading,
): Promise<Result<IndexedConversation | undefined>> {
  const { provider, userId, yieldIfDue } = scope;
  const known = before === undefined ? new Map<number, Uint32Array>() : blocksOf(before);
  const most = Math.floor(maxBytes / Uint32Array.BYTES_PER_ELEMENT);
  const blocks: Uint32Array[] = [];
  let size = 0;
  let revision: string | undefined;
  let base = 0;
  let after: number | undefined;
  for (;;) {
    const read = await readFrom(provider, conversationId, windowAfter(provider, after));
    if (!read.success) return read;
    const { conversation, firstPosition } = read.data;
    // Deleted meanwhile; the id may be another user's by now.
    if (conversation?.userId !== userId) return createSuccess(undefined);
    // Of the first window: what has changed since is seen the next time.
    revision ??= revisionOf(conversation);
    if (after === undefined)
      base = before !== undefined && before.base <= firstPosition ? before.base : firstPosition;
    for (const [index, message] of conversation.messages.entries()) {
      const text = searchedText(message);
      if (text.trim() === "") continue;
      const hash = await textHash(text, yieldIfDue);
      const offset = firstPosition + index - base;
      const isAssistant = message.role === "assistant";
      const old = known.get(offset);
      const isSame = old?.[1] === hash && old[2] === (isAssistant ? 1 : 0);
      const block = isSame
        ? old
        : await blockOf({ text, hash, offset, isAssistant }, { most, yieldIfDue, termOf });
      size += block.length;
      blocks.push(block);
      while (size > most && blocks.length > 1) size -= blocks.shift()?.length ?? 0;
    }
    after = firstPosition + conversation.messages.length - 1;
    if (!isVersionedProvider(provider) || conversation.messages.length < WINDOW) break;
  }
  return createSuccess({ revision, segment: { conversationId, base, data: joined(blocks) } });
}

const windowAfter = (provider: MemoryProvider, after: number | undefined) =>
  isVersionedProvider(provider) ? { messages: { after: after ?? -1, limit: WINDOW } } : undefined;

function blocksOf(segment: Segment): Map<number, Uint32Array> {
  const blocks = new Map<number, Uint32Array>();
  eachMessage(segment, (start, end) => {
    const block = segment.data.subarray(start, end);
    if (block.length >= MESSAGE_HEAD) blocks.set(block[0] ?? 0, block);
  });
  return blocks;
}

/** Another one, or messages that have changed, have another revision. A provider that counts no versions has the time. */
export const revisionOf = ({ metadata }: ConversationMemory): string =>
  JSON.stringify([
    metadata?.incarnation,
    metadata?.createdAt.getTime(),
    metadata?.totalMessages,
    metadata?.version ?? metadata?.updatedAt.getTime(),
  ]);

/** What can be found of a message: nothing of what a tool returned. */
export const searchedText = (message: Message): string =>
  message.role === "tool" ? "" : messageText(message);

const MOST_OF_A_TERM = 15;
const PIECE = 65_536;

/** 32 bits: two of the hundred thousand words of a user's are one now and then, which is a weak match too many. */
export function hashOf(text: string, from = 0, to = text.length, start = 0x811c9dc5): number {
  let hash = start;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return hash >>> 0;
}

/** What a whole message hashes to. */
async function textHash(text: string, yieldIfDue: YieldIfDue): Promise<number> {
  let hash = text.length >>> 0;
  for (let at = 0; at < text.length; at += PIECE) {
    hash = hashOf(text, at, Math.min(text.length, at + PIECE), hash);
    await yieldIfDue();
  }
  return hash;
}

export interface MessageText {
  readonly text: string;
  readonly hash: number;
  /** Its position, counted from the segment's `base`. */
  readonly offset: number;
  readonly isAssistant: boolean;
}

export interface BlockOptions {
  /** So many numbers at most: of a longer message, the beginning. */
  readonly most: number;
  readonly yieldIfDue: YieldIfDue;
  readonly termOf?: TermOf | undefined;
}

/** The block of a message. */
export async function blockOf(
  message: MessageText,
  { most, yieldIfDue, termOf }: BlockOptions,
): Promise<Uint32Array> {
  const numbers = [message.offset, message.hash, message.isAssistant ? 1 : 0, 0];
  for (const passage of passagesIn(message.text)) {
    const waiting = yieldIfDue();
    if (waiting !== undefined) await waiting;
    const terms = termsOf(passage, { termOf });
    if (terms.length === 0) continue;
    const start = numbers.push(0, terms.length);
    for (const { term, weight } of terms) {
      const hash = hashOf(term);
      for (let times = Math.min(weight, MOST_OF_A_TERM); times > 0; times--) numbers.push(hash);
    }
    numbers[start - PASSAGE_HEAD] = numbers.length - start;
    if (numbers.length >= most) break;
  }
  numbers[MESSAGE_HEAD - 1] = numbers.length - MESSAGE_HEAD;
  return Uint32Array.from(numbers);
}

/** Calls with the beginning of each message's block. */
export function eachMessage({ data }: Segment, use: (start: number, end: number) => void): void {
  for (let start = 0; start < data.length; ) {
    const end = start + MESSAGE_HEAD + (data[start + MESSAGE_HEAD - 1] ?? 0);
    use(start, end);
    start = end;
  }
}

export function joined(blocks: readonly Uint32Array[]): Uint32Array {
  const data = new Uint32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    data.set(block, at);
    at += block.length;
  }
  return data;
}

/** What else a conversation takes: its id, its revision, the objects. */
const OVERHEAD = 600;

export const bytesOf = ({ data }: Segment): number => data.byteLength + OVERHEAD;

const MAX_WORDS = 60;
const MAX_LENGTH = 500;
/**
 * Not the rules of `text.ts`, which take some ten times as long: a first search goes through all that was ever said. Where
 * it cuts in the wrong place (`e.g.`) a passage is found a little worse; nobody is shown one.
 */
const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟\n]*/g;
const WORD = /\S+/g;

/**
 * A message in passages, one after the other: whole sentences of about sixty words together, at most 500 UTF-16 units. A longer
 * sentence is divided between words, where it has any.
 */
export function* passagesIn(text: string): Generator<string> {
  let passage = "";
  let words = 0;
  for (const piece of piecesIn(text)) {
    const more = piece.match(WORD)?.length ?? 0;
    if (passage !== "" && (words + more > MAX_WORDS || passage.length + piece.length > MAX_LENGTH)) {
      yield passage;
      passage = "";
      words = 0;
    }
    passage += piece;
    words += more;
  }
  if (passage !== "") yield passage;
}

function* piecesIn(text: string): Generator<string> {
  for (const [sentence] of text.matchAll(SENTENCE)) {
    let start = 0;
    while (sentence.length - start > MAX_LENGTH) {
      const end = cutBefore(sentence, start, start + MAX_LENGTH);
      yield sentence.slice(start, end);
      start = end;
    }
    yield sentence.slice(start);
  }
}

function cutBefore(text: string, start: number, end: number): number {
  for (let at = end; at > start; at--) if (text[at] === " ") return at;
  const isSplitPair = /[\ud800-\udbff]/.test(text[end - 1] ?? "");
  return isSplitPair ? end - 1 : end;
}

/** How long work may hold the event loop, well below what anybody else would notice. */
const SLICE_MS = 8;

/** Called between small pieces of long work: lets other work run once this work has had its share. */
export type YieldIfDue = () => Promise<void> | undefined;

export function createYielding(): YieldIfDue {
  let start = performance.now();
  return () => {
    if (performance.now() - start < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      start = performance.now();
    });
  };
}

import { setImmediate } from "node:timers/promises";
import type { ConversationMemory, MemoryProvider, Message, Result } from "@jaf/memory";
import { createSuccess } from "@jaf/memory/adapter";
import { isVersionedProvider, messageText, readFrom } from "@jaf/memory/internal";
import { type TermOf, termsOf } from "../ranker/index.ts";

/*
 * The index of a conversation: numbers without text. Each message has a block of numbers in `data`:
 *   message's position minus `base` · hash of the text · 1 if by the assistant, else 0 · count of the block's further numbers
 *   for each passage of the message: count of its term hashes · count of its different terms · its term hashes
 */
export interface Segment {
  readonly conversationId: string;
  readonly base: number;
  readonly data: Uint32Array;
}

/** How many numbers precede the passages in a message's block. */
export const MESSAGE_HEAD = 4;
/** How many numbers precede the term hashes in a passage. */
export const PASSAGE_HEAD = 2;

export interface IndexedConversation {
  /** Changes whenever the conversation's messages change. */
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

/** How many messages are read from the provider in one call. */
export const WINDOW = 100;

/** Indexes a conversation. Returns `undefined` if the conversation doesn't exist or belongs to another user. */
export async function indexConversation(
  scope: IndexScope,
  conversationId: string,
  { before, maxBytes, termOf }: ConversationReading,
): Promise<Result<IndexedConversation | undefined>> {
  // Messages that haven't changed are copied from the older index `before`. If the index would exceed `maxBytes`, only
  // the end of the conversation is indexed.
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
    // The conversation was deleted meanwhile, and its id can belong to another user now.
    if (conversation?.userId !== userId) return createSuccess(undefined);
    // The revision from the first read is kept, so the next refresh notices later changes.
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

/** Returns a value that changes when the messages of the conversation change. */
// A provider without versions has only the time of the last update.
export const revisionOf = ({ metadata }: ConversationMemory): string =>
  JSON.stringify([
    metadata?.incarnation,
    metadata?.createdAt.getTime(),
    metadata?.totalMessages,
    metadata?.version ?? metadata?.updatedAt.getTime(),
  ]);

/** Returns the text of a message that a search reads, or `""` for a tool result. */
export const searchedText = (message: Message): string =>
  message.role === "tool" ? "" : messageText(message);

/** How often a term of a passage is counted at most. */
export const MOST_OF_A_TERM = 15;
const PIECE = 65_536;

/** Returns a 32-bit hash of a part of a text: from the offset `from` up to the offset `to`. */
export function hashOf(text: string, from = 0, to = text.length, start = 0x811c9dc5): number {
  // Of 100,000 different words, about two have the same hash. A search for one of them finds the other as a weak match.
  let hash = start;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 15;
  return hash >>> 0;
}

/** Returns the hash of a message's whole text. */
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
  /** The position of the message minus the `base` of its segment. */
  readonly offset: number;
  readonly isAssistant: boolean;
}

export interface BlockOptions {
  /** Maximum count of numbers in a block. */
  readonly most: number;
  readonly yieldIfDue: YieldIfDue;
  readonly termOf?: TermOf | undefined;
}

/** Returns the index block of a message: the numbers that stand for the message in the index. */
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

/** Calls `use` for each message, with the range of the message's block in `data`. */
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

/** Number of bytes that the index of a conversation needs in addition to its numbers: for id, revision and objects. */
const OVERHEAD = 600;

export const bytesOf = ({ data }: Segment): number => data.byteLength + OVERHEAD;

const MAX_WORDS = 60;
const MAX_LENGTH = 500;
/** Matches a sentence. */
// About ten times faster than `Intl.Segmenter`, for a user's first search, which reads all messages. A wrong cut (after
// `e.g.`) only makes a passage slightly harder to find.
const SENTENCE = /[^.!?。！？؟\n]+[.!?。！？؟\n]*/g;
const SPACE = /\s/;

/** Splits a message into passages of whole sentences, of about 60 words and 500 UTF-16 units at most. */
export function* passagesIn(text: string): Generator<string> {
  // A sentence of more than 500 units is split, if possible at a space.
  let passage = "";
  let words = 0;
  for (const piece of piecesIn(text)) {
    const more = wordsIn(piece);
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

const isSpace = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 128 ? code === 32 || (code >= 9 && code <= 13) : SPACE.test(text[at] ?? "");
};

/** Returns the number of words in a text, i.e. of runs without white space. */
function wordsIn(text: string): number {
  let words = 0;
  let wasSpace = true;
  for (let at = 0; at < text.length; at++) {
    const space = isSpace(text, at);
    if (wasSpace && !space) words++;
    wasSpace = space;
  }
  return words;
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

/** How long indexing and search may block the event loop at a time, in milliseconds. */
const SLICE_MS = 8;

/**
 * Lets the event loop do other work if the current work has used up `SLICE_MS`. Long work calls it often, and waits for
 * the returned promise.
 */
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

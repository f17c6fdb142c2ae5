import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, isObject, parseJson } from "@jaf/model-http";
import { isServerCall, partOf, type WireBlock } from "../parts.ts";
import type { Executor, OfferedTools } from "../request/service-tools.ts";
import { argumentsOf, isCall } from "./message.ts";

type Chunks = readonly ModelStreamChunk[];

/** An empty chunk, because the engine times out if a stream is silent. */
export const ALIVE: Chunks = [{ type: "text_delta", text: "" }];

/** Collects the blocks of a streamed reply with all their fields. */
interface BlockPieces {
  /** Takes the blocks that the stream begins with. Each may come once more as a block of its own, which replaces it. */
  readonly expect: (content: readonly WireBlock[]) => void;
  /** These return the chunks of an event. `add` returns `undefined` if the block never began. */
  readonly start: (index: unknown, block: WireBlock) => Chunks;
  readonly add: (index: unknown, delta: Fields) => Chunks | undefined;
  readonly stop: (index: unknown) => Chunks;
  /** Returns the chunks of the expected blocks that didn't come. */
  readonly end: () => Chunks;
  readonly whole: () => readonly WireBlock[];
}

interface OpenCall {
  /** Its index among the calls. */
  readonly index: number;
  readonly executor: Executor;
}

interface OpenBlock {
  readonly index: unknown;
  readonly fields: Record<string, unknown> & { readonly type: string };
  /** The input so far, as JSON text. */
  json: string;
  readonly call: OpenCall | undefined;
  /** The text that the stream began with, which may be the beginning of this block. Until it stops, the block isn't told. */
  echoed: WireBlock | undefined;
}

export function blockPieces({ executorOf }: OfferedTools): BlockPieces {
  const blocks: OpenBlock[] = [];
  /** The newest block of each index: after the blocks that a stream begins with, the indexes can start again. */
  const newest = new Map<unknown, OpenBlock>();
  let begun: readonly WireBlock[] = [];
  /** Those of `begun` that aren't told yet. */
  let expected: readonly WireBlock[] = [];
  let calls = 0;

  const open = (index: unknown, sent: WireBlock, echoed?: WireBlock): OpenBlock => {
    const call = isCall(sent) ? { index: calls++, executor: executorOf(sent) } : undefined;
    return { index, fields: { ...sent }, json: "", call, echoed };
  };

  const begin = ({ index, fields, call }: OpenBlock): Chunks => {
    const { id, type } = fields;
    if (call === undefined) return chunkOf(index, type, textIn(fields));
    return callChunk(call, { ...(typeof id === "string" ? { id } : {}), name: call.executor.name });
  };

  const close = (block: OpenBlock): Chunks => {
    const { fields, call, json } = block;
    if (call !== undefined) {
      const isTold = json !== "" && !call.executor.isToolset;
      return isTold ? ALIVE : callChunk(call, { arguments: argumentsOf(wholeBlock(block), call.executor) });
    }
    if (fields.type === "text" || fields.type === "thinking") return ALIVE;
    const toolNames = new Map(blocks.map(wholeBlock).filter(isServerCall).map(named));
    return [{ type: "part", part: partOf(wholeBlock(block), toolNames) }];
  };

  const tellWhole = (block: OpenBlock): Chunks => [...begin(block), ...close(block)];

  /** Tells this many of the expected blocks. */
  const tellExpected = (count: number): Chunks => {
    const told = expected.slice(0, count).map((sent) => open(begun.indexOf(sent), sent));
    expected = expected.slice(count);
    blocks.push(...told);
    return told.flatMap(tellWhole);
  };

  return {
    expect: (content) => {
      begun = content;
      expected = content;
    },
    start: (index, sent) => {
      const place = expected.findIndex((block) => isAgain(block, sent, begun.indexOf(block) === index));
      if (place === -1 && begun.some((block) => isAgain(block, sent, false))) {
        // Told before another block came: no call may run twice.
        newest.set(index, { index, fields: { ...sent }, json: "", call: undefined, echoed: sent });
        return ALIVE;
      }
      const told = tellExpected(place === -1 ? expected.length : place);
      const [again, ...behind] = expected;
      expected = behind;
      const input = joinedPiece(again?.["input"], sent["input"]);
      const whole = input === undefined ? sent : { ...sent, input };
      const block = open(index, whole, again !== undefined && textIn(again) !== "" ? again : undefined);
      blocks.push(block);
      newest.set(index, block);
      return block.echoed === undefined ? [...told, ...begin(block)] : [...told, ...ALIVE];
    },
    add: (index, delta) => {
      const block = newest.get(index);
      if (block === undefined) return undefined;
      const chunks = grow(block, delta);
      return block.echoed === undefined ? chunks : ALIVE;
    },
    stop: (index) => {
      const block = newest.get(index);
      // A block of the first event may stop without a beginning of its own.
      if (block === undefined) return ALIVE;
      const { echoed } = block;
      const place = blocks.indexOf(block);
      if (place === -1) return ALIVE;
      if (echoed === undefined) return close(block);
      block.echoed = undefined;
      if (textIn(block.fields).startsWith(textIn(echoed))) return tellWhole(block);
      const other = open(index, echoed);
      blocks.splice(place, 0, other);
      return [other, block].flatMap(tellWhole);
    },
    end: () => tellExpected(expected.length),
    whole: () => blocks.map(wholeBlock),
  };
}

const textIn = ({ text, thinking }: Fields): string => String(text ?? thinking ?? "");

/** Whether a block may be one that came before: one with an id by its id, any other by its index. */
const isAgain = (one: WireBlock, other: WireBlock, isSameIndex: boolean): boolean => {
  const id = other["id"] ?? other["tool_use_id"];
  return (
    one.type === other.type && (id === undefined ? isSameIndex : id === (one["id"] ?? one["tool_use_id"]))
  );
};

/** A piece of a call. A call that no tool of the agent runs isn't told, because the reply is an error. */
const callChunk = ({ index, executor }: OpenCall, piece: object): Chunks =>
  executor.isMissing ? ALIVE : [{ type: "tool_call_delta", index, ...piece }];

const named = ({ id, name }: WireBlock): readonly [unknown, string] => [id, String(name)];

function wholeBlock({ fields, json, call }: OpenBlock): WireBlock {
  if (json === "") return { ...fields };
  // A call keeps its input even if it isn't JSON: the engine reports that.
  return { ...fields, input: call === undefined ? (parseJson(json) ?? json) : json };
}

const chunkOf = (index: unknown, type: string, text: string): Chunks => {
  if (text === "") return ALIVE;
  if (type === "text") return [{ type: "text_delta", text }];
  return type === "thinking" ? [{ type: "reasoning_delta", text, id: String(index) }] : ALIVE;
};

function grow(block: OpenBlock, delta: Fields): Chunks {
  const { index, fields, call } = block;
  switch (delta["type"]) {
    case "input_json_delta": {
      const piece = String(delta["partial_json"] ?? "");
      block.json += piece;
      return call === undefined || piece === "" || call.executor.isToolset
        ? ALIVE
        : callChunk(call, { arguments: piece });
    }
    case "citations_delta": {
      const { citations } = fields;
      fields["citations"] = [...(Array.isArray(citations) ? citations : []), delta["citation"]];
      return ALIVE;
    }
    case "signature_delta":
      fields["signature"] = delta["signature"];
      return ALIVE;
    // Not a piece: it has the final values.
    case "compaction_delta":
      Object.assign(fields, delta, { type: fields.type });
      return ALIVE;
    default: {
      const { type: _, estimated_tokens: __, ...pieces } = delta;
      for (const [field, piece] of Object.entries(pieces)) fields[field] = joinedPiece(fields[field], piece);
      return chunkOf(index, fields.type, textIn(delta));
    }
  }
}

/** Appends texts, merges objects, and replaces other values. Works for unknown kinds of pieces, too. */
function joinedPiece(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (isObject(before) && isObject(piece)) return { ...before, ...piece };
  return piece === null || piece === undefined ? before : piece;
}

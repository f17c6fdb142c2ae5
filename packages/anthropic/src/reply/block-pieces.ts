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
  /** Takes the blocks that the stream begins with. Each may also come as a block of its own, which replaces it. */
  readonly expect: (content: readonly WireBlock[]) => void;
  /** These return the chunks of an event. `undefined`: the block never began. */
  readonly start: (index: unknown, block: WireBlock) => Chunks;
  readonly add: (index: unknown, delta: Fields) => Chunks | undefined;
  readonly stop: (index: unknown) => Chunks | undefined;
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
  readonly fields: Record<string, unknown> & { readonly type: string };
  /** The input so far, as JSON text. */
  json: string;
  readonly call: OpenCall | undefined;
}

/** `firstCall`: the number of calls before the reply was paused. */
export function blockPieces({ executorOf }: OfferedTools, firstCall: number): BlockPieces {
  const blocks = new Map<unknown, OpenBlock>();
  let expected: readonly (readonly [index: number, block: WireBlock])[] = [];
  let calls = firstCall;

  const open = (index: unknown, sent: WireBlock): Chunks => {
    const call = isCall(sent) ? { index: calls++, executor: executorOf(sent) } : undefined;
    blocks.set(index, { fields: { ...sent }, json: "", call });
    if (call === undefined) return chunkOf(index, sent.type, sent["text"] ?? sent["thinking"]);
    const { id } = sent;
    return callChunk(call, { ...(typeof id === "string" ? { id } : {}), name: call.executor.name });
  };

  const close = (block: OpenBlock): Chunks => {
    const { fields, call, json } = block;
    if (call !== undefined) {
      const isTold = json !== "" && !call.executor.isToolset;
      return isTold ? ALIVE : callChunk(call, { arguments: argumentsOf(wholeBlock(block), call.executor) });
    }
    if (fields.type === "text" || fields.type === "thinking") return ALIVE;
    const toolNames = new Map([...blocks.values()].map(wholeBlock).filter(isServerCall).map(named));
    return [{ type: "part", part: partOf(wholeBlock(block), toolNames) }];
  };

  /** Opens and closes the expected blocks before this index. */
  const expectedBefore = (end: number): Chunks => {
    const before = expected.filter(([index]) => index < end);
    expected = expected.filter(([index]) => index > end);
    return before.flatMap(([index, sent]) => {
      const begun = open(index, sent);
      const block = blocks.get(index);
      return block === undefined ? begun : [...begun, ...close(block)];
    });
  };

  return {
    expect: (content) => {
      expected = content.map((block, index) => [index, block]);
    },
    start: (index, sent) => [...expectedBefore(Number(index)), ...open(index, sent)],
    add: (index, delta) => {
      const block = blocks.get(index);
      return block === undefined ? undefined : grow(block, delta, index);
    },
    stop: (index) => {
      const block = blocks.get(index);
      return block === undefined ? undefined : close(block);
    },
    end: () => expectedBefore(Number.POSITIVE_INFINITY),
    whole: () => [...blocks.values()].map(wholeBlock),
  };
}

/** A piece of a call. A call that no tool of the agent runs isn't told, because the reply is an error. */
const callChunk = ({ index, executor }: OpenCall, piece: object): Chunks =>
  executor.isMissing ? ALIVE : [{ type: "tool_call_delta", index, ...piece }];

const named = ({ id, name }: WireBlock): readonly [unknown, string] => [id, String(name)];

function wholeBlock({ fields, json, call }: OpenBlock): WireBlock {
  if (json === "") return { ...fields };
  // A call keeps its input even if it isn't JSON: the engine reports that.
  return { ...fields, input: call === undefined ? (parseJson(json) ?? json) : json };
}

const chunkOf = (index: unknown, type: string, text: unknown): Chunks => {
  if (typeof text !== "string" || text === "") return ALIVE;
  if (type === "text") return [{ type: "text_delta", text }];
  return type === "thinking" ? [{ type: "reasoning_delta", text, id: String(index) }] : ALIVE;
};

function grow(block: OpenBlock, delta: Fields, index: unknown): Chunks {
  const { fields, call } = block;
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
    default: {
      const { type: _, ...pieces } = delta;
      for (const [field, piece] of Object.entries(pieces)) fields[field] = joinedPiece(fields[field], piece);
      return chunkOf(index, fields.type, delta["text"] ?? delta["thinking"]);
    }
  }
}

/** Appends texts, merges objects, and replaces other values. Works for unknown kinds of pieces, too. */
function joinedPiece(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (isObject(before) && isObject(piece)) return { ...before, ...piece };
  return piece === null || piece === undefined ? before : piece;
}

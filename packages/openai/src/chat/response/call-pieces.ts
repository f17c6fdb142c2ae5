import type { ModelStreamChunk } from "@jaf/core";
import { type Fields, fieldsOf, isObject } from "@jaf/model-http";
import { mergePiece } from "./merge.ts";

type CallDelta = Extract<ModelStreamChunk, { readonly type: "tool_call_delta" }>;

/** The calls of a streamed reply, put together from their pieces with all their fields. */
export interface CallPieces {
  /** What the engine is told of the piece. */
  readonly add: (piece: unknown) => CallDelta | undefined;
  readonly whole: () => readonly Fields[];
}

interface Call {
  readonly index: unknown;
  readonly fields: Record<string, unknown>;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export function callPieces(): CallPieces {
  const calls: Call[] = [];

  /** By index; without one by id; without either it is the latest. Gemini's gives several calls one index. */
  const placeOf = (index: unknown, id: string): number => {
    if (index === undefined || index === null) {
      if (id === "") return calls.length - 1;
      return calls.findLastIndex(({ fields }) => fields["id"] === id);
    }
    const at = calls.findLastIndex((call) => call.index === index);
    const known = textOf(calls[at]?.fields["id"]);
    return id !== "" && known !== "" && known !== id ? -1 : at;
  };

  return {
    add: (piece) => {
      if (!isObject(piece)) return undefined;
      const { index, ...fields } = piece;
      const id = textOf(fields["id"]);
      let at = placeOf(index, id);
      if (at === -1) at = calls.push({ index, fields: {} }) - 1;
      const call = calls[at]?.fields ?? {};
      mergePiece(call, withTextArguments(fields));
      const called = fieldsOf(fields["function"] ?? fields["custom"]);
      const text = textOf(called["arguments"] ?? called["input"]);
      const name = textOf(called["name"]);
      return {
        type: "tool_call_delta",
        index: at,
        ...(id === "" ? {} : { id }),
        ...(name === "" ? {} : { name }),
        ...(text === "" ? {} : { arguments: text }),
      };
    },
    whole: () => calls.map(({ fields }) => fields),
  };
}

/** Local models hand over the decoded object. */
function withTextArguments(fields: Fields): Fields {
  const called = fields["function"];
  if (!isObject(called) || !isObject(called["arguments"])) return fields;
  return { ...fields, function: { ...called, arguments: JSON.stringify(called["arguments"]) } };
}

import type { ModelStreamChunk, ModelToolCall } from "./completion.ts";

type CallDelta = Extract<ModelStreamChunk, { readonly type: "tool_call_delta" }>;

interface PartialCall {
  id: string;
  name: string;
  arguments: string;
}

/** The tool calls of a streamed reply, put together from their pieces. */
export interface PartialCalls {
  /** The index of the call, if this is its first piece. */
  readonly add: (delta: CallDelta) => number | undefined;
  /** `""` where no piece has named it. */
  readonly idOf: (index: number) => string;
  /** In the order of their indices. */
  readonly toCalls: () => readonly ModelToolCall[];
}

export function collectCalls(): PartialCalls {
  const calls = new Map<number, PartialCall>();
  const indexById = new Map<string, number>();
  let last = 0;
  let next = 0;

  const indexOf = ({ index, id }: CallDelta): number => {
    if (typeof index === "number") return index;
    if (typeof id !== "string" || id === "") return last;
    return indexById.get(id) ?? next;
  };

  return {
    add: (delta) => {
      const index = indexOf(delta);
      const known = calls.get(index);
      const call = known ?? { id: "", name: "", arguments: "" };
      // Providers repeat an empty id and name in later pieces, so those never overwrite.
      call.id ||= delta.id ?? "";
      call.name ||= delta.name ?? "";
      call.arguments += textOf(delta.arguments);
      calls.set(index, call);
      if (call.id !== "" && !indexById.has(call.id)) indexById.set(call.id, index);
      last = index;
      next = Math.max(next, index + 1);
      return known === undefined ? index : undefined;
    },
    idOf: (index) => calls.get(index)?.id ?? "",
    toCalls: () =>
      [...calls]
        .sort(([a], [b]) => a - b)
        .map(([, { id, name, arguments: text }]) => ({
          id,
          type: "function",
          function: { name, arguments: text },
        })),
  };
}

/** Adapters of local models hand over the decoded object. */
function textOf(piece: unknown): string {
  if (typeof piece === "string") return piece;
  return piece === undefined || piece === null ? "" : (JSON.stringify(piece) ?? "");
}

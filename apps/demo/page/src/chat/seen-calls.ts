import type { FoldedTurn, ToolItem, TurnItem } from "@jaf/server/client";

/** What agents did in turns that the page has seen, by the id of the call that ran the agent. It isn't in the stored messages. */
export type SeenCalls = ReadonlyMap<string, readonly TurnItem[]>;

/** Adds what agents did in a turn. Calls without a result are left out: those that wait are listed elsewhere. */
export function withTurn(seen: SeenCalls, turn: FoldedTurn | undefined): SeenCalls {
  const added = (turn?.items ?? []).flatMap((item) =>
    item.type === "tool" && item.inner !== undefined
      ? [[item.toolCallId, withSeen(item, seen).inner?.filter(isDone) ?? []] as const]
      : [],
  );
  return added.length === 0 ? seen : new Map([...seen, ...added]);
}

/** Returns the call with what its agent did in earlier turns, too. */
export function withSeen(tool: ToolItem, seen: SeenCalls): ToolItem {
  const now = tool.inner ?? [];
  const isShownNow = (item: TurnItem) =>
    item.type === "tool" && now.some((each) => each.type === "tool" && each.toolCallId === item.toolCallId);
  const before = (seen.get(tool.toolCallId) ?? []).filter((item) => !isShownNow(item));
  return before.length + now.length === 0 ? tool : { ...tool, inner: [...before, ...now] };
}

const isDone = (item: TurnItem): boolean => item.type !== "tool" || item.result !== undefined;

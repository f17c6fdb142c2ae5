import { calledTool } from "@jaf/memory/engine";
import { openPart, withPart } from "../engine/part.ts";
import type { RunScope } from "../engine/scope.ts";
import { type CallBatch, findTool } from "../tools/execute-call.ts";
import { mayWait, type SortedCalls, type SortOptions } from "./sorted-calls.ts";

const judging = openPart("approvals", () => import("./judge-calls.ts"));

/** In call order; at once where none may wait. Rejects when the run is aborted meanwhile. */
export function sortCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: SortOptions,
): SortedCalls | Promise<SortedCalls> {
  const mayAnyWait = batch.calls.some((call) => {
    const tool = findTool(batch, calledTool(call).name);
    return tool !== undefined && mayWait(tool);
  });
  return mayAnyWait
    ? withPart(judging(), ({ judgeCalls }) => judgeCalls(scope, batch, options))
    : {
        run: batch.calls.map((call) => ({ call })),
        answered: [],
        waiting: [],
        shown: [],
        judged: nothingJudged,
      };
}

const nothingJudged: SortedCalls["judged"] = new Map();

import { calledTool } from "@jaf/memory/engine";
import type { RunScope } from "../engine/scope.ts";
import { openPart, withPart } from "../lazy-part.ts";
import { type CallBatch, findTool } from "../tools/execute-call.ts";
import { type JudgedCalls, mayWait, type SortedCalls, type SortOptions } from "./sorted-calls.ts";

const judging = openPart("approvals", () => import("./judge-calls.ts"));

/** In call order; at once where none may wait. Rejects when the run is aborted meanwhile. */
export function sortCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: SortOptions,
): SortedCalls<Ctx> | Promise<SortedCalls<Ctx>> {
  const run = batch.calls.map((call) => ({ call, tool: findTool(batch, calledTool(call).name) }));
  return run.some(({ tool }) => tool !== undefined && mayWait(tool))
    ? withPart(judging(), ({ judgeCalls }) => judgeCalls(scope, { batch, run }, options))
    : { run, answered: [], waiting: [], shown: [], judged: nothingJudged };
}

const nothingJudged: JudgedCalls = new Map();

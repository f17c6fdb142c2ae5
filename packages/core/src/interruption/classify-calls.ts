import { calledTool } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";
import { type CallBatch, findTool } from "../tools/execute-call.ts";
import { applyDecisions } from "./apply-decisions.ts";
import { type ClassifiedCalls, type ClassifyOptions, type JudgedCalls, mayWait } from "./classified-calls.ts";

/**
 * Decides which calls of a reply run, which are answered without running, and which wait. The results are in call
 * order. Rejects when the run is aborted meanwhile.
 */
export async function classifyCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: ClassifyOptions,
): Promise<ClassifiedCalls<Ctx>> {
  const run = batch.calls.map((call) => ({ call, tool: findTool(batch, calledTool(call).name) }));
  return run.some(({ tool }) => tool !== undefined && mayWait(tool))
    ? await applyDecisions(scope, { batch, run }, options)
    : { run, answered: [], waiting: [], judged: nothingJudged };
}

const nothingJudged: JudgedCalls = new Map();

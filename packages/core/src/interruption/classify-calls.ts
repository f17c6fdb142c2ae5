import { calledTool } from "@jaf/memory/engine";
import type { RunScope } from "../engine/run-scope.ts";
import { openModule, withModule } from "../lazy-module.ts";
import { type CallBatch, findTool } from "../tools/execute-call.ts";
import { type ClassifiedCalls, type ClassifyOptions, type JudgedCalls, mayWait } from "./classified-calls.ts";

const decisionsModule = openModule("approvals", () => import("./apply-decisions.ts"));

/**
 * Decides which calls of a reply run, which are answered without running, and which wait. The results are in call order, and
 * returned synchronously if no call may wait. Rejects when the run is aborted meanwhile.
 */
export function classifyCalls<Ctx>(
  scope: RunScope<Ctx>,
  batch: CallBatch<Ctx>,
  options: ClassifyOptions,
): ClassifiedCalls<Ctx> | Promise<ClassifiedCalls<Ctx>> {
  const run = batch.calls.map((call) => ({ call, tool: findTool(batch, calledTool(call).name) }));
  return run.some(({ tool }) => tool !== undefined && mayWait(tool))
    ? withModule(decisionsModule(), ({ applyDecisions }) => applyDecisions(scope, { batch, run }, options))
    : { run, answered: [], waiting: [], judged: nothingJudged };
}

const nothingJudged: JudgedCalls = new Map();

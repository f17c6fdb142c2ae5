import type { MemoryIssue, RunId, TraceId } from "@jaf/memory";
import { idIssue } from "@jaf/memory/engine";
import { contextIssues, wholeNumberIssue } from "../context/issues.ts";
import type { MemoryConfig } from "../memory/config.ts";

interface Written {
  readonly runId: RunId;
  readonly traceId: TraceId;
  readonly currentAgentName: string;
}

/**
 * What a store would refuse of a run's configuration. Asked before the model is called: a reply that was paid for and
 * can't be stored helps nobody.
 */
export function memoryConfigIssues(memory: MemoryConfig, written: Written): readonly MemoryIssue[] {
  const { maxMessages, ttl, userId, durability, concurrency, queueTimeoutMs, turnLeaseMs } = memory;
  return [
    wholeNumberIssue("RunConfig.memory.maxMessages", maxMessages),
    wholeNumberIssue("RunConfig.memory.ttl", ttl),
    wholeNumberIssue("RunConfig.memory.queueTimeoutMs", queueTimeoutMs),
    wholeNumberIssue("RunConfig.memory.turnLeaseMs", turnLeaseMs),
    ...contextIssues(memory),
    durabilityIssue(durability),
    concurrencyIssue(concurrency),
    userId === undefined ? undefined : idIssue("RunConfig.memory.userId", userId),
    idIssue("RunState.traceId", written.traceId),
    textIssue("RunState.runId", written.runId),
    textIssue("RunState.currentAgentName", written.currentAgentName),
  ].filter((issue) => issue !== undefined);
}

function durabilityIssue(value: unknown): MemoryIssue | undefined {
  if (value === undefined || value === "completed" || value === "turn" || value === "step") return undefined;
  return { path: "RunConfig.memory.durability", expected: '"completed", "turn" or "step"' };
}

function concurrencyIssue(value: unknown): MemoryIssue | undefined {
  if (value === undefined || value === "reject" || value === "queue") return undefined;
  return { path: "RunConfig.memory.concurrency", expected: '"reject" or "queue"' };
}

function textIssue(path: string, value: unknown): MemoryIssue | undefined {
  if (typeof value === "string" && !/[\0\p{Surrogate}]/u.test(value)) return undefined;
  return { path, expected: "a string without NUL characters and unpaired surrogates" };
}

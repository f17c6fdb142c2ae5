import type { RunConfig } from "../config.ts";
import { costFault } from "../cost/budget.ts";
import { cacheFault } from "../model/cache.ts";
import { fallbackFault } from "../model/fallback-config.ts";
import { timeLimitFault } from "../timing/limits.ts";

/** What is wrong with a run's configuration beside its memory and its middleware. */
export function configFault<Ctx>(config: RunConfig<Ctx>): string | undefined {
  const { unjudgedText, maskSecrets, cache, modelFallback, outputRepairs } = config;
  const isMasking =
    maskSecrets === undefined || typeof maskSecrets === "boolean" || typeof maskSecrets === "function";
  const fault =
    timeLimitFault(config) ??
    costFault(config) ??
    (unjudgedText === undefined || unjudgedText === "hold" || unjudgedText === "retract"
      ? undefined
      : 'unjudgedText: expected "hold" or "retract"') ??
    (isMasking ? undefined : "maskSecrets: expected true, false or a function") ??
    cacheFault(cache) ??
    fallbackFault(modelFallback) ??
    (outputRepairs === undefined || isCount(outputRepairs)
      ? undefined
      : "outputRepairs: expected a whole number from 0");
  return fault && `Invalid RunConfig: ${fault}.`;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;

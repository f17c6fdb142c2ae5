import type { RunConfig } from "../config.ts";
import { openModule, type PartLoadError } from "../lazy-module.ts";
import { isThenable } from "../thenable.ts";

const storedRunModule = openModule("stored turns", () => import("./stored-run-module.ts"));
const contextModule = openModule("windows and summaries", () => import("../context/context-module.ts"));

/** The modules of the engine that a run needs in addition to its loop. */
export interface LazyModules {
  /** Absent where nothing is stored and nothing was decided. */
  readonly stored?: typeof import("./stored-run-module.ts");
  /** Absent where the model gets the whole history. */
  readonly context?: typeof import("../context/context-module.ts");
  /** Why a module that the run needs could not be loaded. The run can't begin without it. */
  readonly failure?: PartLoadError;
}

const NO_MODULES: LazyModules = {};

/** Synchronous if the run needs none, or all that it needs have been loaded before. Never rejects. */
export function modulesFor<Ctx>(config: RunConfig<Ctx>): LazyModules | Promise<LazyModules> {
  const stored = mayResume(config) ? storedRunModule() : undefined;
  const context = mayShowLess(config) ? contextModule() : undefined;
  if (stored === undefined && context === undefined) return NO_MODULES;
  return isThenable(stored) || isThenable(context) ? loaded(stored, context) : modulesOf(stored, context);
}

const modulesOf = (stored: LazyModules["stored"], context: LazyModules["context"]): LazyModules => ({
  ...(stored && { stored }),
  ...(context && { context }),
});

type Loading<Name extends keyof LazyModules> = LazyModules[Name] | Promise<NonNullable<LazyModules[Name]>>;

async function loaded(stored: Loading<"stored">, context: Loading<"context">): Promise<LazyModules> {
  try {
    return modulesOf(...(await Promise.all([stored, context])));
  } catch (failure) {
    return { failure: failure as PartLoadError };
  }
}

/** Whether a run may continue a stored conversation, or with decisions. */
const mayResume = <Ctx>({ memory, approvals, toolResults, continuation }: RunConfig<Ctx>): boolean =>
  memory?.autoStore === true ||
  approvals !== undefined ||
  toolResults !== undefined ||
  continuation !== undefined;

/** Without `autoStore`, memory is there only for the window; then all of its options are checked with the window's. */
const mayShowLess = <Ctx>({ memory }: RunConfig<Ctx>): boolean =>
  memory !== undefined &&
  memory !== null &&
  (memory.autoStore !== true || memory.window !== undefined || memory.compressionThreshold !== undefined);

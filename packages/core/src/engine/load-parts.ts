import type { RunConfig } from "../config.ts";
import { openPart, type PartLoadError } from "../lazy-part.ts";
import { isThenable } from "../thenable.ts";

const storedPart = openPart("stored turns", () => import("./stored-part.ts"));
const contextPart = openPart("windows and summaries", () => import("../context/context-part.ts"));

/** The parts of the engine that a run needs in addition to its loop. */
export interface Parts {
  /** Absent where nothing is stored and nothing was decided. */
  readonly stored?: typeof import("./stored-part.ts");
  /** Absent where the model gets the whole history. */
  readonly context?: typeof import("../context/context-part.ts");
  /** Why a part isn't there that the run needs: it can't begin. */
  readonly failure?: PartLoadError;
}

const NO_PARTS: Parts = {};

/** Synchronous if the run needs none, or all that it needs have been loaded before. Never rejects. */
export function partsFor<Ctx>(config: RunConfig<Ctx>): Parts | Promise<Parts> {
  const stored = mayResume(config) ? storedPart() : undefined;
  const context = mayShowLess(config) ? contextPart() : undefined;
  if (stored === undefined && context === undefined) return NO_PARTS;
  return isThenable(stored) || isThenable(context) ? loaded(stored, context) : partsOf(stored, context);
}

const partsOf = (stored: Parts["stored"], context: Parts["context"]): Parts => ({
  ...(stored && { stored }),
  ...(context && { context }),
});

type Loading<Name extends keyof Parts> = Parts[Name] | Promise<NonNullable<Parts[Name]>>;

async function loaded(stored: Loading<"stored">, context: Loading<"context">): Promise<Parts> {
  try {
    return partsOf(...(await Promise.all([stored, context])));
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

import type { RunConfig } from "../config.ts";
import { openPart, type PartLoadError } from "../lazy-part.ts";
import { isThenable } from "../thenable.ts";

const storedPart = openPart("stored turns", () => import("./stored-part.ts"));
const contextPart = openPart("windows and summaries", () => import("../context/context-part.ts"));

/** What a run needs of the engine beside its loop. */
export interface Parts {
  /** Absent where nothing is stored and nothing was decided. */
  readonly stored?: typeof import("./stored-part.ts");
  /** Absent where the model gets the whole history. */
  readonly context?: typeof import("../context/context-part.ts");
  /** Why a part isn't there that the run needs: it can't begin. */
  readonly failure?: PartLoadError;
}

const NO_PARTS: Parts = {};

/** At once where the run needs none, and where those that it needs have been loaded before. Never rejects. */
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

/** Whether a run may go on with what is stored, or with what was decided. */
const mayResume = <Ctx>({ memory, approvals, toolResults, continuation }: RunConfig<Ctx>): boolean =>
  memory?.autoStore === true ||
  approvals !== undefined ||
  toolResults !== undefined ||
  continuation !== undefined;

/** Without `autoStore` memory is there for the window alone, and all that is wrong with it is told. */
const mayShowLess = <Ctx>({ memory }: RunConfig<Ctx>): boolean =>
  memory !== undefined &&
  memory !== null &&
  (memory.autoStore !== true || memory.window !== undefined || memory.compressionThreshold !== undefined);

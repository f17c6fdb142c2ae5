import { lazy } from "@jaf/memory/adapter";

/** A third of the package's code, which first runs when a turn has ended: so it is loaded then. */
export const loadExtraction = lazy(() => import("./extraction-code.ts"));

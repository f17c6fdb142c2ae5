/** Groups related runs, e.g. across handoffs. A string at run time, distinct from {@link RunId} at compile time. */
export type TraceId = string & { readonly _brand: "TraceId" };

/** Identifies one execution of the engine. */
export type RunId = string & { readonly _brand: "RunId" };

export const createTraceId = (id: string): TraceId => id as TraceId;

export const createRunId = (id: string): RunId => id as RunId;

export const generateTraceId = (): TraceId => createTraceId(crypto.randomUUID());

export const generateRunId = (): RunId => createRunId(crypto.randomUUID());

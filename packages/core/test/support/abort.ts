/** A signal, and a function that aborts it, so the run ends with {@link aborted}. */
export function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error("enough")) };
}

export const aborted = { _tag: "RunAborted", reason: "enough" };

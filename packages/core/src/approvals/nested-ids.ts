/** Separates the ids of nested calls. */
const SEPARATOR = "/";

/** Returns the id that a call of an inner run has in the outer run; see `asTool`. */
export const nestedCallId = (outerId: string, innerId: string): string => `${outerId}${SEPARATOR}${innerId}`;

/** Returns the inner run's id of a nested call; `undefined` if it isn't a call in the inner run of this outer call. */
export const innerCallId = (outerId: string, toolCallId: string): string | undefined =>
  toolCallId.startsWith(`${outerId}${SEPARATOR}`)
    ? toolCallId.slice(outerId.length + SEPARATOR.length)
    : undefined;

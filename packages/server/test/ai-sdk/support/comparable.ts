/**
 * The parts of a UI message as JSON, without what the protocol can't say: the approval of a call that was decided, which a
 * client that asked for it still holds. A client numbers thoughts for itself.
 */
export const comparable = (parts: readonly unknown[]): unknown =>
  JSON.parse(JSON.stringify(parts), (_, value: unknown) => {
    if (!isFields(value)) return value;
    const { approval, id, ...rest } = value;
    const asked = value["state"] === "approval-requested" ? { approval } : {};
    return value["type"] === "reasoning"
      ? { ...rest, ...asked }
      : { ...rest, ...asked, ...(id === undefined ? {} : { id }) };
  });
const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

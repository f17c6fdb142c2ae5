/**
 * Returns the parts of a UI message as JSON, without fields that the protocol can't transmit: the approval of a decided call, which
 * only the client that asked for it holds, and the client's own ids of reasoning.
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

import type { ModelOrigin, RichMessage } from "@jaf/memory";

export const isSameOrigin = (a: ModelOrigin | undefined, b: ModelOrigin): boolean =>
  a !== undefined && a.provider === b.provider && a.api === b.api && a.model === b.model;

/** Of all calls that this origin made. */
export const ownCallIds = (messages: readonly RichMessage[], origin: ModelOrigin): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      message.tool_calls !== undefined && isSameOrigin(message.origin, origin)
        ? message.tool_calls.map(({ id }) => id)
        : [],
    ),
  );
